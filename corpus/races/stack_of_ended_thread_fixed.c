// The thread waits with its end until the other one has written.
// heddle: run
// expect: clean complete
// twin: races/stack_of_ended_thread.c
// build: heddle-cc
#include <semaphore.h>
#include <stdatomic.h>
#include <stddef.h>

#include "races/two_threads.h"

static _Atomic(int*) left;
static sem_t written;

__attribute__((constructor)) static void make(void) { sem_init(&written, 0, 0); }

static void first(void) {
  int own = 0;
  left = &own;
  sem_wait(&written);
}

static void second(void) {
  int* const found = left;
  if (found != NULL) *found = 42;
  sem_post(&written);
}

static void last(void) {}
