// Three threads that nobody joins, each with a lock and a count of its own.
#pragma once

#include <pthread.h>
#include <stddef.h>

enum { THREADS = 3, ROUNDS = 3 };
static struct Counter {
  pthread_mutex_t lock;
  int count;
} counters[THREADS];

static void* count(void* argument) {
  struct Counter* own = argument;
  for (int round = 0; round < ROUNDS; ++round) {
    pthread_mutex_lock(&own->lock);
    ++own->count;
    pthread_mutex_unlock(&own->lock);
  }
  return NULL;
}

static inline void start(void) {
  for (int i = 0; i < THREADS; ++i) pthread_mutex_init(&counters[i].lock, NULL);
  pthread_t thread;
  for (int i = 0; i < THREADS; ++i) pthread_create(&thread, NULL, count, &counters[i]);
}
