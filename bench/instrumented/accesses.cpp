// The work whose memory accesses bench/instrument.py times: chase (a list in random order), stream (adding up arrays),
// sort, map, queue. In a thread of its own, since Heddle looks at nothing before there are two. It prints ticks of the
// time stamp counter (clocks are virtual under Heddle). `calibrate` prints ticks per nanosecond.
#include <pthread.h>
#include <time.h>
#include <x86intrin.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <queue>
#include <unordered_map>
#include <vector>

extern "C" __attribute__((weak)) void count_from_here();  // count_accesses.c

namespace {

constexpr unsigned kElements = 20'000, kKeys = 5'000;
constexpr unsigned kMany = 1u << 20, kSweeps = 2;  // more than the caches near the processor hold

unsigned draw(unsigned& state) { return state = state * 1664525u + 1013904223u; }

struct Link {
  Link* next;
  unsigned value;
};

// Made before the first thread, so that only the work itself is timed and counted.
std::vector<Link> links;
std::vector<double> from, other, to;

void make_links() {
  unsigned state = 1;
  links.resize(kMany);
  std::vector<unsigned> order(kMany);
  for (unsigned i = 0; i < kMany; ++i) order[i] = i;
  for (unsigned i = kMany - 1; i > 0; --i) std::swap(order[i], order[draw(state) % (i + 1)]);
  for (unsigned i = 0; i < kMany; ++i) links[order[i]] = {&links[order[(i + 1) % kMany]], i};
}

void make_arrays() {
  from.assign(kMany, 1);
  other.assign(kMany, 2);
  to.assign(kMany, 0);
}

unsigned long chase(unsigned& state) {
  unsigned long sum = state;
  const Link* link = links.data();
  for (unsigned i = 0; i < kMany / 4; ++i, link = link->next) sum += link->value;
  return sum;
}

unsigned long stream(unsigned& state) {
  for (unsigned sweep = 0; sweep < kSweeps; ++sweep)
    for (unsigned i = 0; i < kMany; ++i) to[i] = from[i] + state * other[i];
  return static_cast<unsigned long>(to[7]);
}

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

constexpr struct {
  const char* name;
  unsigned long (*work)(unsigned& state);
} kWorks[] = {{"chase", chase}, {"stream", stream}, {"sort", sort}, {"map", map}, {"queue", queue}};

void* measure(void* name) {
  for (const auto& one : kWorks) {
    if (std::strcmp(one.name, static_cast<const char*>(name)) != 0) continue;
    unsigned state = 1;
    unsigned long sum = one.work(state);  // what it touches is there from now on
    if (count_from_here != nullptr) count_from_here();
    const unsigned long long begin = __rdtsc();
    sum += one.work(state);
    std::printf("ticks %llu sum %lu\n", __rdtsc() - begin, sum);
  }
  return nullptr;
}

long long now_ns() {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1'000'000'000ll + time.tv_nsec;
}

int calibrate() {
  const long long begin = now_ns();
  const unsigned long long ticks = __rdtsc();
  while (now_ns() - begin < 50'000'000) {
  }
  std::printf("ticks_per_ns %.6f\n", static_cast<double>(__rdtsc() - ticks) / static_cast<double>(now_ns() - begin));
  return 0;
}

}  // namespace

int main(int count, char** arguments) {
  if (count < 2 || std::strcmp(arguments[1], "calibrate") == 0) return calibrate();
  if (std::strcmp(arguments[1], "chase") == 0) make_links();
  if (std::strcmp(arguments[1], "stream") == 0) make_arrays();
  pthread_t thread;
  pthread_create(&thread, nullptr, measure, arguments[1]);
  return pthread_join(thread, nullptr);
}
