// As race_freed.c, but entries are counted: the last one that lets go frees it.
// heddle: run
// expect: clean complete
// twin: races/race_freed.c
// build: heddle-cc
#include <assert.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "races/two_threads.h"

struct entry {
  int value;
  atomic_int users;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct entry* table;

static void let_go(struct entry* entry) {
  if (atomic_fetch_sub_explicit(&entry->users, 1, memory_order_acq_rel) == 1) free(entry);
}

__attribute__((constructor)) static void fill(void) {
  table = malloc(sizeof *table);
  table->value = 42;
  atomic_init(&table->users, 1);
}

static void first(void) {
  pthread_mutex_lock(&lock);
  struct entry* const found = table;
  if (found != NULL) atomic_fetch_add(&found->users, 1);
  pthread_mutex_unlock(&lock);
  if (found == NULL) return;
  assert(found->value == 42);
  let_go(found);
}

static void second(void) {
  pthread_mutex_lock(&lock);
  struct entry* const old = table;
  table = NULL;
  pthread_mutex_unlock(&lock);
  if (old != NULL) let_go(old);
}

static void last(void) {}
