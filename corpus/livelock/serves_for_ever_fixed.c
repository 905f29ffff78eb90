// As serves_for_ever, but the first transfer is one section. Nothing is wrong, and nothing is proved: it never ends.
// heddle: run --max-schedules=3000
// expect: no verdict
// says: from here on they are cut off after 128 steps or 4 threads
// says: no schedule ended within 2048 steps; possibly the program never ends
// twin: serves_for_ever
// runner: livelock_test.py
#include "serves_for_ever.h"

static void* serve(void* unused) {
  pthread_mutex_lock(&lock);
  ++balance;
  pthread_mutex_unlock(&lock);
  serve_for_ever();
  return unused;
}

int main(void) { return run_two(serve); }
