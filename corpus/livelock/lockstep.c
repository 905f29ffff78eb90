// Two threads that are too polite: each takes its own lock, tries the other's, and starts over when that is taken,
// yielding in between. Only in lockstep do they go round for ever: three preemptions a round, which count once. (What
// is dead in a frame counts as memory, so a stack may have to have been used before a state comes again: then it takes
// a bit more.)
// heddle: run
// expect: bug livelock
// twin: lockstep_fixed
// runner: livelock_test.py
#include <pthread.h>
#include <sched.h>
#include <stddef.h>
static pthread_mutex_t left = PTHREAD_MUTEX_INITIALIZER, right = PTHREAD_MUTEX_INITIALIZER;
static void both(pthread_mutex_t* own, pthread_mutex_t* other) {
  for (;;) {
    pthread_mutex_lock(own);
    if (pthread_mutex_trylock(other) == 0) break;
    pthread_mutex_unlock(own);
    sched_yield();
  }
  pthread_mutex_unlock(other);
  pthread_mutex_unlock(own);
}
static void* one(void* unused) {
  both(&left, &right);
  return unused;
}
static void* two(void* unused) {
  both(&right, &left);
  return unused;
}
int main(void) {
  pthread_t a, b;
  pthread_create(&a, NULL, one, NULL);
  pthread_create(&b, NULL, two, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  return 0;
}
