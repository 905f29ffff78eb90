// An archive with its own copies of blocking wrappers: see static_archive.c.
#include "odd/library/static_lock.h"

#include "io/raw_calls.h"

static volatile uint32_t taken;

void static_lock(void) {
  while (__atomic_exchange_n(&taken, 1, __ATOMIC_ACQUIRE) != 0) raw_wait(&taken, 1);
}

void static_unlock(void) {
  __atomic_store_n(&taken, 0, __ATOMIC_RELEASE);
  raw_wake(&taken, 1);
}
