// Two threads that must not be in one place at the same time.
#pragma once

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

static atomic_int inside_now;
static int entered;

static inline void be_alone(void) {
  const int inside = atomic_fetch_add(&inside_now, 1) + 1;
  assert(inside == 1);
  ++entered;
  atomic_fetch_sub(&inside_now, 1);
}

// The first gets NULL, the second something else.
static int run_two(void* (*work)(void*)) {
  pthread_t first, second;
  pthread_create(&first, NULL, work, NULL);
  pthread_create(&second, NULL, work, &entered);
  pthread_join(first, NULL);
  pthread_join(second, NULL);
  return 0;
}
