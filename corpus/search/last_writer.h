// Two threads whose sections have different mutexes, and which both write to one variable. AT_END() says what becomes
// of it.
#pragma once

#include <pthread.h>

static pthread_mutex_t left = PTHREAD_MUTEX_INITIALIZER, right = PTHREAD_MUTEX_INITIALIZER;
static volatile int last_writer;

static void write_under(pthread_mutex_t* mutex, int writer) {
  pthread_mutex_lock(mutex);
  last_writer = writer;
  pthread_mutex_unlock(mutex);
}

static void* first(void* argument) {
  write_under(&left, 1);
  return argument;
}

static void* second(void* argument) {
  write_under(&right, 2);
  return argument;
}

int main(void) {
  pthread_t threads[2];
  pthread_create(&threads[0], NULL, first, NULL);
  pthread_create(&threads[1], NULL, second, NULL);
  pthread_join(threads[0], NULL);
  pthread_join(threads[1], NULL);
  AT_END();
  return 0;
}
