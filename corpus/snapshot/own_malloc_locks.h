// Two threads raise a value, each program in its own way, behind one thread that allocates by a malloc of the program's
// own, which takes a mutex.
#include <assert.h>

#include "snapshot/own_malloc.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int value;

static void raise_value(void);

static void* allocate(void* unused) {
  free(malloc(100));
  return unused;
}

static void* work(void* unused) {
  raise_value();
  return unused;
}

int main(void) {
  pthread_t threads[2];
  pthread_create(&threads[0], NULL, allocate, NULL);
  pthread_join(threads[0], NULL);
  for (int i = 0; i < 2; ++i) pthread_create(&threads[i], NULL, work, NULL);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  assert(value == 2);
  return 0;
}
