// A lost update in a program that brings its own malloc, which takes a mutex. libc frees by it when a thread is joined:
// that is no step, or schedules would differ from one isolation to the next.
// heddle: run
// expect: bug assertion at bound 1
// says: value == 2
// twin: own_malloc_locks_fixed.c
#include <assert.h>

#include "snapshot/own_malloc.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int value;

static void* allocate(void* unused) {
  free(malloc(100));
  return unused;
}

static int look(void) {
  pthread_mutex_lock(&mutex);
  const int now = value;
  pthread_mutex_unlock(&mutex);
  return now;
}

static void* raise_it(void* unused) {
  const int now = look();
  pthread_mutex_lock(&mutex);
  value = now + 1;
  pthread_mutex_unlock(&mutex);
  return unused;
}

int main(void) {
  pthread_t threads[2];
  pthread_create(&threads[0], NULL, allocate, NULL);
  pthread_join(threads[0], NULL);
  for (int i = 0; i < 2; ++i) pthread_create(&threads[i], NULL, raise_it, NULL);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  assert(value == 2);
  return 0;
}
