// One thread uses an entry of a table, which it has found under the lock, after the lock is given back; the other one
// takes the entry out and frees it. Nothing lies between finding and using that a scheduler would see.
// heddle: run
// expect: bug data race at bound 0
// says: frees a block of
// twin: races/race_freed_counted.c
// build: heddle-cc
#include <assert.h>
#include <stdlib.h>

#include "races/two_threads.h"

struct entry {
  int value;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct entry* table;

__attribute__((constructor)) static void fill(void) {
  table = malloc(sizeof *table);
  table->value = 42;
}

static void first(void) {
  pthread_mutex_lock(&lock);
  const struct entry* found = table;
  pthread_mutex_unlock(&lock);
  if (found != NULL) assert(found->value == 42);
}

static void second(void) {
  pthread_mutex_lock(&lock);
  struct entry* const old = table;
  table = NULL;
  pthread_mutex_unlock(&lock);
  free(old);
}

static void last(void) {}
