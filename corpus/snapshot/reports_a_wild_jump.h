// A program with a handler for its faults, which jumps to where no code is in one schedule: there is no way back to
// follow from there, for whoever wants a call stack of what the handler does.
#pragma once

#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int done;

static void nothing(void) { done = 1; }
static void (*volatile then)(void) = nothing;

static void report(int number) {
  pthread_mutex_lock(&mutex);
  pthread_mutex_unlock(&mutex);
  signal(number, SIG_DFL);
  raise(number);
}

static void* spoil(void* unused) {
  pthread_mutex_lock(&mutex);
  then = LATER;
  pthread_mutex_unlock(&mutex);
  return unused;
}

static void* use(void* unused) {
  pthread_mutex_lock(&mutex);
  const int usable = then == nothing;
  pthread_mutex_unlock(&mutex);
  if (!usable) return unused;
  pthread_mutex_lock(&mutex);
  void (*const found)(void) = then;
  pthread_mutex_unlock(&mutex);
  found();
  return unused;
}

int main(void) {
  signal(SIGSEGV, report);
  pthread_t threads[2];
  pthread_create(&threads[0], NULL, use, NULL);
  pthread_create(&threads[1], NULL, spoil, NULL);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  return 0;
}
