// Looks and takes under two locks. The log is an atomic region, where no thread is preempted: fewer schedules, and the
// bug is found all the same.
// heddle: run
// expect: bug assertion at bound 1
// says: the account is overdrawn
// twin: program/audited_account_locked.c
#include "program/audited_account.h"

static void take(int amount) {
  heddle_atomic_begin();
  write_line();
  write_line();
  heddle_atomic_end();
  pthread_mutex_lock(&lock);
  const int seen = balance;
  pthread_mutex_unlock(&lock);
  if (seen < amount) return;
  pthread_mutex_lock(&lock);
  balance -= amount;
  pthread_mutex_unlock(&lock);
}
