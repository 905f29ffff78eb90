// Three philosophers, each of whom takes two forks.
#pragma once

#include <pthread.h>
#include <stddef.h>

enum { PHILOSOPHERS = 3 };
static pthread_mutex_t forks[PHILOSOPHERS] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER,
                                              PTHREAD_MUTEX_INITIALIZER};
static int lower_first;

static void* dine(void* argument) {
  const int seat = *(const int*)argument, other = (seat + 1) % PHILOSOPHERS;
  const int swap = lower_first && other < seat;
  pthread_mutex_lock(&forks[swap ? other : seat]);
  pthread_mutex_lock(&forks[swap ? seat : other]);
  pthread_mutex_unlock(&forks[swap ? seat : other]);
  pthread_mutex_unlock(&forks[swap ? other : seat]);
  return NULL;
}

static int dinner(void) {
  static const int seats[PHILOSOPHERS] = {0, 1, 2};
  pthread_t threads[PHILOSOPHERS];
  for (int i = 0; i < PHILOSOPHERS; ++i) pthread_create(&threads[i], NULL, dine, (void*)&seats[i]);
  for (int i = 0; i < PHILOSOPHERS; ++i) pthread_join(threads[i], NULL);
  return 0;
}
