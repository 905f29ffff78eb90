// A thread counts so often that it is about to be looked at whether the execution goes round, and then waits in a loop
// of one read. In its first rounds all is as it was, and yet the next one waits for the write.
// heddle: run
// expect: clean bound 0
// twin: livelock/counts_in_and_out.cpp
// runner: livelock_test.py
// build: heddle-cc
#include <atomic>
#include <cstdlib>
#include <thread>

static std::atomic<int> flag{0}, count{0};

int main(int, char** arguments) {
  const int times = std::atoi(arguments[1]);
  std::thread waits([times] {
    for (int i = 0; i < times; ++i) count.fetch_add(1);
    while (flag.load() == 0) continue;
  });
  std::thread sets([] { flag.store(1); });
  sets.join();
  waits.join();
}
