// Each access is under the lock, so nothing races. But the one that comes second may find the node freed.
// heddle: run
// expect: bug use after free at bound 0
// says: writes node.value
// says: freed it at
// twin: races/use_after_free_locked_fixed.c
// build: heddle-cc
#include <stdlib.h>

#include "races/two_threads.h"

struct node {
  int value;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct node* shared;

__attribute__((constructor)) static void make(void) { shared = calloc(1, sizeof *shared); }

static void first(void) {
  struct node* const mine = shared;
  pthread_mutex_lock(&lock);
  mine->value = 1;
  pthread_mutex_unlock(&lock);
}

static void second(void) {
  struct node* const mine = shared;
  pthread_mutex_lock(&lock);
  free(mine);
  pthread_mutex_unlock(&lock);
}

static void last(void) {}
