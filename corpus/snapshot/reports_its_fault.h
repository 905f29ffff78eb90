// A program that reports its own faults and then dies of them, as test frameworks do. In one schedule there is one.
#pragma once

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int value = 1, *shared = &value;

static void report(int number);

static void* forget(void* unused) {
  pthread_mutex_lock(&mutex);
  shared = NULL;
  pthread_mutex_unlock(&mutex);
  return unused;
}

static void* use(void* unused) {
  pthread_mutex_lock(&mutex);
  const int there = shared != NULL;
  if (!HOLDS_ON) {
    pthread_mutex_unlock(&mutex);
    pthread_mutex_lock(&mutex);
  }
  if (there) *(volatile int*)shared = 2;  // reports_its_fault.h:28
  pthread_mutex_unlock(&mutex);
  return unused;
}

int main(void) {
  static char alternate[64 << 10];
  const stack_t own = {.ss_sp = alternate, .ss_size = sizeof alternate};
  const struct sigaction action = {.sa_handler = report, .sa_flags = SA_ONSTACK};
  if (sigaltstack(&own, NULL) != 0 || sigaction(SIGSEGV, &action, NULL) != 0) abort();
  pthread_t threads[2];
  pthread_create(&threads[0], NULL, use, NULL);
  pthread_create(&threads[1], NULL, forget, NULL);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  return 0;
}
