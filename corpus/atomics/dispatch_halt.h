// Dispatch and halt (CHESS, OSDI 2008, Figure 3) with flags in place of locks: a thread waits for its own notification.
#pragma once

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

static atomic_bool pending[2];

static void halt(void);

static void* dispatch(void* argument) {
  atomic_bool* mine = argument;
  for (;;) {
    halt();
    if (atomic_exchange(mine, false)) return NULL;
  }
}

int main(void) {
  pthread_t dispatchers[2];
  atomic_store(&pending[1], true);
  for (int i = 0; i < 2; ++i) pthread_create(&dispatchers[i], NULL, dispatch, &pending[i]);
  atomic_store(&pending[0], true);
  for (int i = 0; i < 2; ++i) pthread_join(dispatchers[i], NULL);
  return 0;
}
