// Each thread has a lock of its own around the same variable.
// heddle: run
// expect: bug data race at bound 0
// says: counter
// twin: races/race_counter_locked.c
// build: heddle-cc clang
#include "races/two_threads.h"

static int counter;
static pthread_mutex_t one = PTHREAD_MUTEX_INITIALIZER, another = PTHREAD_MUTEX_INITIALIZER;

static void add(pthread_mutex_t* mutex) {
  pthread_mutex_lock(mutex);
  ++counter;
  pthread_mutex_unlock(mutex);
}

static void first(void) { add(&one); }
static void second(void) { add(&another); }
static void last(void) { printf("%d\n", counter); }
