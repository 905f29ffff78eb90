// Two threads that are started alike draw tickets, and who started them gets what each has returned.
#pragma once

#include <assert.h>
#include <pthread.h>
#include <stdint.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static intptr_t tickets;

static void* draw(void* unused) {
  (void)unused;
  pthread_mutex_lock(&lock);
  const intptr_t own = ++tickets;
  pthread_mutex_unlock(&lock);
  return (void*)own;
}

static void draw_two(void** first, void** second) {
  pthread_t threads[2];
  for (int i = 0; i < 2; ++i) pthread_create(&threads[i], NULL, draw, NULL);
  pthread_join(threads[0], first);
  pthread_join(threads[1], second);
}
