// Tasks that take one lock a number of times.
#pragma once

#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t section = PTHREAD_MUTEX_INITIALIZER;
static int sections_each, entered;

static void* enter_sections(void* unused) {
  for (int i = 0; i < sections_each; ++i) {
    pthread_mutex_lock(&section);
    ++entered;
    pthread_mutex_unlock(&section);
  }
  return unused;
}

static int run_sections(int tasks, int sections) {
  pthread_t threads[8];
  sections_each = sections;
  for (int i = 0; i < tasks; ++i) pthread_create(&threads[i], NULL, enter_sections, NULL);
  for (int i = 0; i < tasks; ++i) pthread_join(threads[i], NULL);
  return entered == tasks * sections ? 0 : 1;
}
