// Two threads count under a lock: more steps than executions may have by default, but cheap ones, and no loop that
// waits. The limit rises by itself.
// heddle: run
// expect: clean bound 0
// twin: counts_for_ever
// runner: livelock_test.py
#include <pthread.h>
#include <stddef.h>
enum { kTimes = 60000 };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long count;
static void* add(void* unused) {
  for (int i = 0; i < kTimes; ++i) {
    pthread_mutex_lock(&lock);
    ++count;
    pthread_mutex_unlock(&lock);
  }
  return unused;
}
int main(void) {
  pthread_t threads[2];
  for (int i = 0; i < 2; ++i) pthread_create(&threads[i], NULL, add, NULL);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  return count != 2L * kTimes;
}
