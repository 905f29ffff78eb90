// A program that ends itself by SIGTERM, as a watchdog of its own does: no end that came from outside.
// heddle: run
// expect: bug crash at bound 1
// says: SIGTERM, sent by the program itself
// twin: terminates_itself_never.c
#include "events/terminates_itself.h"

static void* work(void* unused) {
  for (int i = 1; i <= 2; ++i) {
    pthread_mutex_lock(&mutex);
    state = i;
    pthread_mutex_unlock(&mutex);
  }
  return unused;
}

int main(void) { return run(work); }
