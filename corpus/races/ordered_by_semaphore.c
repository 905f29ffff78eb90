// What a semaphore orders.
// heddle: run
// expect: clean complete
// twin: races/race_counter.c
// build: heddle-cc
#include <semaphore.h>

#include "races/two_threads.h"

static int value;
static sem_t semaphore;
__attribute__((constructor)) static void make(void) { sem_init(&semaphore, 0, 0); }

static void first(void) {
  value = 1;
  sem_post(&semaphore);
}

static void second(void) {
  sem_wait(&semaphore);
  printf("%d\n", value);
}

static void last(void) {}
