/* account.h for the frameworks of C. */
#pragma once

#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int balance;

static void* withdraw(void* unused) {
  pthread_mutex_lock(&mutex);
  if (balance >= 70) balance -= 70;
  pthread_mutex_unlock(&mutex);
  return unused;
}

/* The bug: another thread may withdraw between the look and the withdrawal. */
static void* look_then_withdraw(void* unused) {
  pthread_mutex_lock(&mutex);
  const int enough = balance >= 70;
  pthread_mutex_unlock(&mutex);
  pthread_mutex_lock(&mutex);
  if (enough) balance -= 70;
  pthread_mutex_unlock(&mutex);
  return unused;
}

/* What is left after two threads wanted 70 each. */
static int balance_after_two(void* (*way)(void*)) {
  pthread_t other;
  balance = 100;
  pthread_create(&other, NULL, way, NULL);
  way(NULL);
  pthread_join(other, NULL);
  return balance;
}
