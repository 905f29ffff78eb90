// The work is done in one go, and nobody finds it half-way.
// heddle: run
// expect: clean complete
// twin: terminates_itself.c
#include "events/terminates_itself.h"

static void* work(void* unused) {
  pthread_mutex_lock(&mutex);
  for (int i = 1; i <= 2; ++i) state = i;
  pthread_mutex_unlock(&mutex);
  return unused;
}

int main(void) { return run(work); }
