// Both take the left lock first.
// heddle: run
// expect: clean bound 3
// twin: lockstep
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
  both(&left, &right);
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
