// Two threads that run first() and second(), then last() in main().
#pragma once
#include <pthread.h>
#include <stdio.h>

static void first(void);
static void second(void);
static void last(void);

static void* run_first(void* argument) {
  first();
  return argument;
}

static void* run_second(void* argument) {
  second();
  return argument;
}

int main(void) {
  pthread_t one, other;
  pthread_create(&one, NULL, run_first, NULL);
  pthread_create(&other, NULL, run_second, NULL);
  pthread_join(one, NULL);
  pthread_join(other, NULL);
  last();
  return 0;
}
