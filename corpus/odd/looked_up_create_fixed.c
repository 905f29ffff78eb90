// As looked_up_create, in one section.
// heddle: run
// expect: clean complete
// twin: looked_up_create
// library: odd/library/starts_threads.c
#include "looked_up_create.h"

static void* add(void* unused) {
  pthread_mutex_lock(&mutex);
  ++sum;
  pthread_mutex_unlock(&mutex);
  return unused;
}

int main(void) { return run_two(add); }
