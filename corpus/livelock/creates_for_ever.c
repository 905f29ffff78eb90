// Creates two threads, joins them, and begins again, without end. Only the first two get in each other's way, within
// one preemption.
// heddle: run
// expect: bug assertion at bound 1
// says: inside == 1
// twin: creates_for_ever_fixed
// runner: livelock_test.py
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int inside;

static void* enter(void* unused) {
  pthread_mutex_lock(&lock);
  ++inside;
  pthread_mutex_unlock(&lock);
  pthread_mutex_lock(&lock);
  assert(inside == 1);
  --inside;
  pthread_mutex_unlock(&lock);
  return unused;
}

static void* leave(void* unused) { return unused; }

int main(void) {
  for (long round = 0;; ++round) {
    pthread_t threads[2];
    for (int i = 0; i < 2; ++i) pthread_create(&threads[i], NULL, round == 0 ? enter : leave, NULL);
    for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  }
}
