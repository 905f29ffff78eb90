// The search begins in a thread that is not main (--start-at): threads that were made before are there already.
//
// heddle: run --start-at=race_to_be_first
// expect: bug exit
// bound: 1
// twin: start_in_a_thread_fixed.c
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long first;

__attribute__((noinline)) void race_to_be_first(long self) {
  pthread_mutex_lock(&lock);
  if (first == 0) first = self;
  pthread_mutex_unlock(&lock);
}

static void* run(void* self) {
  race_to_be_first((long)self);
  return NULL;
}

int main(void) {
  pthread_t one, two;
  pthread_create(&one, NULL, run, (void*)1);
  pthread_create(&two, NULL, run, (void*)2);
  pthread_join(one, NULL);
  pthread_join(two, NULL);
  return first == 1 ? 0 : 1;
}
