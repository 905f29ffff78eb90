// Two threads add to a counter; each program says in prepare() what it thinks of that.
#include <pthread.h>
#include <stddef.h>

#include "heddle/heddle.h"

static int hits;

static void prepare(void);

static void* work(void* unused) {
  ++hits;
  return unused;
}

int main(void) {
  prepare();
  pthread_t thread;
  pthread_create(&thread, NULL, work, NULL);
  ++hits;
  pthread_join(thread, NULL);
  return 0;
}
