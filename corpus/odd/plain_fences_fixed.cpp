// A thread moves the entries of a table, with a fence between any two, in a plain build. The loop ends by itself and
// waits for nobody: while it goes on, main's wait does not end by its time.
// heddle: run --patch=yes --timeouts=late --max-preemptions=1
// expect: clean bound 1
// twin: plain_fences.cpp
#include <semaphore.h>
#include <time.h>

#include <cassert>
#include <thread>

#include "plain_fences.h"

int main() {
  static Table table;
  static sem_t moved;
  sem_init(&moved, 0, 0);
  std::thread thread([] {
    table.make_room();
    sem_post(&moved);
  });
  timespec end;
  clock_gettime(CLOCK_REALTIME, &end);
  end.tv_sec += 40;
  assert(sem_timedwait(&moved, &end) == 0);
  thread.join();
}
