// A lock is freed by one thread while another one is about to take it.
// heddle: run
// expect: bug data race at bound 0
// says: uses mutex 1
// twin: races/freed_when_done.c
// build: heddle-cc
#include <stdlib.h>

#include "races/two_threads.h"

struct account {
  pthread_mutex_t lock;
  int balance;
};

static struct account* account;

__attribute__((constructor)) static void make(void) {
  account = malloc(sizeof *account);
  pthread_mutex_init(&account->lock, NULL);
}

static void first(void) {
  pthread_mutex_lock(&account->lock);
  pthread_mutex_unlock(&account->lock);
}

static void second(void) { free(account); }

static void last(void) {}
