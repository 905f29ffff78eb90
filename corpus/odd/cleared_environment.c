// Takes its whole environment away before the first thread, as daemons do.
// heddle: run
// expect: clean complete
#define _DEFAULT_SOURCE
#include <assert.h>
#include <stdlib.h>

#include "snapshot/two_threads.h"

static void* look(void* unused) {
  point();
  assert(getenv("PATH") == NULL);
  return unused;
}

int main(void) {
  pthread_t threads[2];
  clearenv();
  for (int i = 0; i < 2; ++i) pthread_create(&threads[i], NULL, look, NULL);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  return 0;
}
