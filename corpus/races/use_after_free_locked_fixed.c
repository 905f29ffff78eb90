// The last of the two frees the node, under the lock. It is given out again, grows where it is, and is used.
// heddle: run
// expect: clean complete
// twin: races/use_after_free_locked.c
// build: heddle-cc
#include <stdlib.h>

#include "races/two_threads.h"

struct node {
  int value;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct node* shared;
static int owners = 2;

__attribute__((constructor)) static void make(void) { shared = calloc(1, sizeof *shared); }

static void let_go(void) {
  pthread_mutex_lock(&lock);
  ++shared->value;
  if (--owners == 0) {
    free(shared);
    int* again = malloc(sizeof *shared);
    *again = 1;
    again = realloc(again, 12);
    again[2] = 2;
    again = realloc(again, 4000);
    again[999] = *again;
    free(again);
  }
  pthread_mutex_unlock(&lock);
}

static void first(void) { let_go(); }

static void second(void) { let_go(); }

static void last(void) {}
