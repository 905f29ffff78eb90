// Polls a flag under its lock, yielding in between.
// heddle: run
// expect: clean bound 2
// twin: polls_without_giving_way
// runner: livelock_test.py
#include <pthread.h>
#include <sched.h>
#include <stddef.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int ready;
static void* set(void* unused) {
  pthread_mutex_lock(&lock);
  ready = 1;
  pthread_mutex_unlock(&lock);
  return unused;
}
int main(void) {
  pthread_t a;
  pthread_create(&a, NULL, set, NULL);
  for (;;) {
    pthread_mutex_lock(&lock);
    const int is = ready;
    pthread_mutex_unlock(&lock);
    if (is) break;
    sched_yield();
  }
  return pthread_join(a, NULL);
}
