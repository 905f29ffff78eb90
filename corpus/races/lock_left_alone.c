// As lock_overwritten.c, but only what the lock is for is cleared.
// heddle: run --search=dpor --races=report
// expect: clean complete
// twin: races/lock_overwritten.c
// build: heddle-cc
#include "races/account_with_lock.h"
#include "races/two_threads.h"

static void first(void) {
  pthread_mutex_lock(&account.lock);
  pthread_mutex_unlock(&account.lock);
}

static void second(void) {
  pthread_mutex_lock(&account.lock);
  account.balance = 0;
  pthread_mutex_unlock(&account.lock);
}

static void last(void) {}
