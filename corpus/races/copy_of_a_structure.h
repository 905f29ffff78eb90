// One thread copies a structure; another one writes to the end of both. Between their steps they take a lock, so that
// there is something to be reordered. The copies lie on the heap: nothing but the program itself looks at them.
#pragma once
#include <assert.h>
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>

struct Values {
  long of[5];
};
enum { LAST = 4 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct Values *to, *from;
static long* seen;

static void pass(void) {
  pthread_mutex_lock(&mutex);
  pthread_mutex_unlock(&mutex);
}

static void copy(void);

static void* work(void* unused) {
  pass();
  seen[0] = to->of[LAST];
  copy();
  seen[1] = to->of[LAST];
  return unused;
}

static void* change(void* unused) {
  pass();
  to->of[LAST] = 1;
  from->of[LAST] = 2;
  return unused;
}

int main(void) {
  to = calloc(1, sizeof *to);
  from = calloc(1, sizeof *from);
  seen = calloc(2, sizeof *seen);
  pthread_t one, other;
  pthread_create(&one, NULL, work, NULL);
  pthread_create(&other, NULL, change, NULL);
  pthread_join(one, NULL);
  pthread_join(other, NULL);
  assert(!(seen[0] == 1 && seen[1] == 0));
  return 0;
}
