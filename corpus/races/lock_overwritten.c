// One thread clears an account while another has it locked: the lock is cleared, too. Found where the write comes
// between lock and unlock, which partial-order reduction has to know depend on it.
// heddle: run --search=dpor --races=report
// expect: bug misuse
// says: data race
// says: unlocked a mutex that nobody holds
// twin: races/lock_left_alone.c
// build: heddle-cc
#include "races/account_with_lock.h"
#include "races/two_threads.h"

static void first(void) {
  pthread_mutex_lock(&account.lock);
  pthread_mutex_unlock(&account.lock);
}

static void second(void) { *(long*)&account.lock = 0; }

static void last(void) {}
