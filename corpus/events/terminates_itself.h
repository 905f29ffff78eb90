// A thread that ends the process where it finds another half-way: the twins differ in whether it can be found so.
#pragma once

#include <pthread.h>
#include <signal.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int state;

static void* look(void* unused) {
  pthread_mutex_lock(&mutex);
  const int found = state;
  pthread_mutex_unlock(&mutex);
  if (found == 1) kill(getpid(), SIGTERM);
  return unused;
}

static int run(void* (*work)(void*)) {
  pthread_t threads[2];
  pthread_create(&threads[0], 0, work, 0);
  pthread_create(&threads[1], 0, look, 0);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], 0);
  return 0;
}
