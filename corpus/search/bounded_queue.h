// A bounded queue with a mutex and two condition variables; the signal inside the lock, or behind it.
// What the numbers of schedules depend on: a signal may wake any of the waiters; one without waiters only looks, so
// that two of them are independent; there are no timeouts and no spurious wake-ups.
#pragma once

#include <pthread.h>
#include <stddef.h>

enum { ITEMS = 2 };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t not_full = PTHREAD_COND_INITIALIZER, not_empty = PTHREAD_COND_INITIALIZER;
static int capacity, count, signal_behind_the_lock;

static void change(int by, pthread_cond_t* tell) {
  count += by;
  if (!signal_behind_the_lock) pthread_cond_signal(tell);
  pthread_mutex_unlock(&lock);
  if (signal_behind_the_lock) pthread_cond_signal(tell);
}

static void* produce(void* unused) {
  for (int i = 0; i < ITEMS; ++i) {
    pthread_mutex_lock(&lock);
    while (count == capacity) pthread_cond_wait(&not_full, &lock);
    change(1, &not_empty);
  }
  return unused;
}

static void* consume(void* unused) {
  for (int i = 0; i < ITEMS; ++i) {
    pthread_mutex_lock(&lock);
    while (count == 0) pthread_cond_wait(&not_empty, &lock);
    change(-1, &not_full);
  }
  return unused;
}

static int run_queue(int pairs, int size, int behind) {
  pthread_t threads[8];
  capacity = size;
  signal_behind_the_lock = behind;
  for (int i = 0; i < pairs; ++i) pthread_create(&threads[i], NULL, produce, NULL);
  for (int i = 0; i < pairs; ++i) pthread_create(&threads[pairs + i], NULL, consume, NULL);
  for (int i = 0; i < 2 * pairs; ++i) pthread_join(threads[i], NULL);
  return count;
}
