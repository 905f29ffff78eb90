// Races on a counter are meant, and not told of; that an increment is lost by one, and what comes of it, is found all
// the same.
// heddle: run
// expect: bug assertion at bound 1
// says: hits == 2
// twin: program/benign_counter.c
// build: heddle-cc
#include <assert.h>
#include <heddle/heddle.h>
#include <pthread.h>
#include <stddef.h>

static int hits;

static void* hit(void* unused) {
  ++hits;
  return unused;
}

int main(void) {
  pthread_t threads[2];
  heddle_benign_race(&hits, sizeof hits);
  for (int i = 0; i < 2; ++i) pthread_create(&threads[i], NULL, hit, NULL);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  assert(hits == 2);
  return 0;
}
