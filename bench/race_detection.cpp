// What race detection costs for each access: a sort, a hash map and a queue, in a thread of its own.
//   build/heddle-c++ -O2 -g -std=c++20 -pthread bench/race_detection.cpp -o race_detection
//   for races in ignore bug; do build/heddle run -q --races=$races --max-schedules=1 --determinism-check=0
//     --output=all ./race_detection sort; done
// It prints ticks of the time stamp counter (clocks are virtual under Heddle). The difference of the two, divided by
// the number of accesses (callgrind counts the calls of __tsan_read and __tsan_write natively), is the cost of one.
#include <x86intrin.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <queue>
#include <thread>
#include <unordered_map>
#include <vector>

namespace {

constexpr unsigned kRounds = 5, kElements = 20'000, kKeys = 5'000;

unsigned draw(unsigned& state) { return state = state * 1664525u + 1013904223u; }

unsigned long sort(unsigned& state) {
  std::vector<unsigned> elements(kElements);
  for (unsigned& element : elements) element = draw(state);
  std::sort(elements.begin(), elements.end());
  return elements[7];
}

unsigned long map(unsigned& state) {
  std::unordered_map<unsigned, unsigned> counts;
  for (unsigned i = 0; i < kElements; ++i) counts[draw(state) % kKeys] += i;
  return counts.size();
}

unsigned long queue(unsigned& state) {
  std::priority_queue<unsigned> best;
  std::queue<unsigned> first;
  unsigned long sum = 0;
  for (unsigned i = 0; i < kElements; ++i) {
    first.push(draw(state));
    best.push(first.front());
    if (i % 2 == 0) continue;
    sum += best.top();
    best.pop();
    first.pop();
  }
  return sum;
}

void measure(const char* name) {
  const auto work = std::strcmp(name, "sort") == 0 ? sort : std::strcmp(name, "map") == 0 ? map : queue;
  unsigned state = 1;
  unsigned long sum = 0;
  const unsigned long long begin = __rdtsc();
  for (unsigned round = 0; round < kRounds; ++round) sum += work(state);
  std::printf("%s: %llu ticks (%lu)\n", name, __rdtsc() - begin, sum);
}

}  // namespace

int main(int count, char** arguments) {
  const char* const name = count > 1 ? arguments[1] : "sort";
  std::thread(measure, name).join();
}
