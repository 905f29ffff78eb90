// A thread moves the entries of a table, with a fence between any two, in a plain build. It posts only when it has
// waited for its turn, for longer than main waits for it.
// heddle: run --patch=yes --timeouts=late --max-preemptions=1
// expect: bug assertion
// twin: plain_fences_fixed.cpp
#include "plain_fences.h"

#include <semaphore.h>
#include <time.h>

#include <cassert>
#include <chrono>
#include <thread>

int main() {
  static Table table;
  static sem_t moved;
  sem_init(&moved, 0, 0);
  std::thread thread([] {
    table.make_room();
    std::this_thread::sleep_for(std::chrono::minutes(1));
    sem_post(&moved);
  });
  timespec end;
  clock_gettime(CLOCK_REALTIME, &end);
  end.tv_sec += 40;
  assert(sem_timedwait(&moved, &end) == 0);
  thread.join();
}
