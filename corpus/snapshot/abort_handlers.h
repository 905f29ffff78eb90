// A thread that calls abort() where it finds another half-way: the twins differ in what the handler of SIGABRT does.
#pragma once

#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int state;
static sigjmp_buf back;

static void* work(void* unused) {
  for (int i = 1; i <= 2; ++i) {
    pthread_mutex_lock(&mutex);
    state = i;
    pthread_mutex_unlock(&mutex);
  }
  return unused;
}

static int run(void (*handler)(int)) {
  signal(SIGABRT, handler);
  pthread_t thread;
  pthread_create(&thread, 0, work, 0);
  pthread_mutex_lock(&mutex);
  const int found = state;
  pthread_mutex_unlock(&mutex);
  if (found == 1 && sigsetjmp(back, 1) == 0) abort();
  pthread_join(thread, 0);
  return 0;
}
