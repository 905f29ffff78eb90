// A thread that goes on behind its division by zero, by a handler; it divides where the other thread came between.
#pragma once

#define _GNU_SOURCE
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stddef.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static volatile int count;
static volatile int divisor = 1;
static _Thread_local sigjmp_buf back;

static void jump(int number) {
  (void)number;
  siglongjmp(back, 1);
}

static void* set_to_zero(void* unused) {
  pthread_mutex_lock(&mutex);
  divisor = 0;
  pthread_mutex_unlock(&mutex);
  return unused;
}

static void* divide(void* unused) {
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, NULL);
  OPEN_FAULTS();
  pthread_mutex_lock(&mutex);
  const int checked = divisor;
  pthread_mutex_unlock(&mutex);
  if (checked == 0) return unused;
  pthread_mutex_lock(&mutex);
  if (sigsetjmp(back, 1) == 0) count = 10 / divisor;
  pthread_mutex_unlock(&mutex);
  return unused;
}

int main(void) {
  signal(SIGFPE, jump);
  pthread_t threads[2];
  pthread_create(&threads[0], NULL, divide, NULL);
  pthread_create(&threads[1], NULL, set_to_zero, NULL);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  return 0;
}
