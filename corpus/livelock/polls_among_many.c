// Takes twenty thousand locks once, then polls a flag and never yields. To look at so many objects takes longer than
// hundreds of steps, so it may not be done often; that they all stay as they are is seen nevertheless.
// heddle: run --samaritan=bug
// expect: bug good samaritan violation at bound 0
// twin: polls_and_gives_way
// runner: livelock_test.py
#include <pthread.h>
#include <stddef.h>

enum { kLocks = 20000 };
static pthread_mutex_t locks[kLocks];
static int ready;

static void* set(void* unused) {
  pthread_mutex_lock(&locks[0]);
  ready = 1;
  pthread_mutex_unlock(&locks[0]);
  return unused;
}

static int look(pthread_mutex_t* lock) {
  pthread_mutex_lock(lock);
  const int is = ready;
  pthread_mutex_unlock(lock);
  return is;
}

int main(void) {
  for (int i = 0; i < kLocks; ++i) pthread_mutex_init(&locks[i], NULL);
  pthread_t a;
  pthread_create(&a, NULL, set, NULL);
  for (int i = kLocks; i-- > 0;) look(&locks[i]);
  while (!look(&locks[0])) continue;
  return pthread_join(a, NULL);
}
