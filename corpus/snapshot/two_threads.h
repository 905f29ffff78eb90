// What most programs of this folder share: two threads, and a point at which the scheduler may switch.
#pragma once

#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t point_mutex = PTHREAD_MUTEX_INITIALIZER;

static inline void point(void) {
  pthread_mutex_lock(&point_mutex);
  pthread_mutex_unlock(&point_mutex);
}

static inline void run_two(void* (*one)(void*), void* (*other)(void*)) {
  pthread_t threads[2];
  pthread_create(&threads[0], NULL, one, NULL);
  pthread_create(&threads[1], NULL, other, NULL);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
}
