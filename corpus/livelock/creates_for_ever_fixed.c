// Creates two threads, joins them, and begins again, without end. Nothing is wrong with them, and nothing is proved.
// heddle: run --max-schedules=300
// expect: no verdict
// says: from here on they are cut off after 128 steps or 4 threads
// says: 16 threads; possibly the program creates threads without end
// twin: creates_for_ever
// runner: livelock_test.py
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int inside;

static void* enter(void* unused) {
  pthread_mutex_lock(&lock);
  ++inside;
  assert(inside == 1);
  --inside;
  pthread_mutex_unlock(&lock);
  return unused;
}

int main(void) {
  for (;;) {
    pthread_t threads[2];
    for (int i = 0; i < 2; ++i) pthread_create(&threads[i], NULL, enter, NULL);
    for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  }
}
