// The twin of audited_account.c: looks and takes under one lock.
// heddle: run --reduction=none
// expect: clean complete
// says: Not checked: preemptions where the program forbids them
// twin: program/audited_account.c
#include "program/audited_account.h"

static void take(int amount) {
  heddle_atomic_begin();
  write_line();
  write_line();
  heddle_atomic_end();
  pthread_mutex_lock(&lock);
  if (balance >= amount) balance -= amount;
  pthread_mutex_unlock(&lock);
}
