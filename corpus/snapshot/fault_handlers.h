// A thread that strikes a fault of another kind for each state that it finds: the twins differ in what the handler
// does.
#pragma once

#include <pthread.h>
#include <signal.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int state;
static volatile int zero;
static volatile int* volatile nothing;

static void* set(void* unused) {
  for (int i = 1; i <= 2; ++i) {
    pthread_mutex_lock(&mutex);
    state = i;
    pthread_mutex_unlock(&mutex);
  }
  return unused;
}

static void* strike(void* unused) {
  pthread_mutex_lock(&mutex);
  const int found = state;
  pthread_mutex_unlock(&mutex);
  if (found == 0) *nothing = 1;
  if (found == 1) zero = 1 / zero;
  __asm__ volatile("ud2");
  return unused;
}

static int run(void (*handler)(int)) {
  signal(SIGSEGV, handler);
  signal(SIGFPE, handler);
  signal(SIGILL, handler);
  pthread_t threads[2];
  pthread_create(&threads[0], 0, set, 0);
  pthread_create(&threads[1], 0, strike, 0);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], 0);
  return 0;
}
