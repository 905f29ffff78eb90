// The same with an exit handler that looks at what a thread does: it fails only if the thread stands between two
// rounds.
// heddle: run --search=dpor
// expect: bug assertion
// twin: main_returns.c
#include <assert.h>
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>

enum { THREADS = 3, ROUNDS = 3 };
static struct Counter {
  pthread_mutex_t lock;
  int count;
} counters[THREADS];

static void* count(void* argument) {
  struct Counter* own = argument;
  for (int round = 0; round < ROUNDS; ++round) {
    pthread_mutex_lock(&own->lock);
    ++own->count;
    pthread_mutex_unlock(&own->lock);
  }
  return NULL;
}

static void check(void) { assert(counters[1].count != 2); }

int main(void) {
  atexit(check);
  for (int i = 0; i < THREADS; ++i) pthread_mutex_init(&counters[i].lock, NULL);
  pthread_t thread;
  for (int i = 0; i < THREADS; ++i) pthread_create(&thread, NULL, count, &counters[i]);
  return 0;
}
