// Polls a flag under its lock and never yields: it keeps the thread from running that is to set the flag.
// heddle: run --samaritan=bug
// expect: bug good samaritan violation at bound 0
// twin: polls_and_gives_way
// runner: livelock_test.py
#include <pthread.h>
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
  }
  return pthread_join(a, NULL);
}
