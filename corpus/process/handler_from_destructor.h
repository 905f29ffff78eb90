// Nothing is registered before the end: exit() finds handlers only where a destructor has made one.
#pragma once

#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int stage = 0;

static void* work(void* unused) {
  pthread_mutex_lock(&mutex);
  pthread_mutex_unlock(&mutex);
  return unused;
}

static void reach(int wanted) {
  pthread_mutex_lock(&mutex);
  if (stage != wanted - 1) abort();
  stage = wanted;
  pthread_mutex_unlock(&mutex);
}

static void last(void) {
  reach(3);
  if (LAST_UNLOCKS) pthread_mutex_unlock(&mutex);
}

__attribute__((destructor(102))) static void first(void) {
  reach(1);
  atexit(last);
}

__attribute__((destructor(101))) static void second(void) { reach(2); }

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, work, NULL);
  pthread_join(thread, NULL);
  return 0;
}
