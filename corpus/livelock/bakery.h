// Lamport's bakery algorithm for two threads. Each look at shared memory is under a lock, as where a checker's atomic
// sections are: so it is a step, but no loop of reads.
#pragma once

#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t memory = PTHREAD_MUTEX_INITIALIZER;
static int choosing[2], number[2], choose_first, inside;

static int get(const int* variable) {
  pthread_mutex_lock(&memory);
  const int is = *variable;
  pthread_mutex_unlock(&memory);
  return is;
}

static void set(int* variable, int to) {
  pthread_mutex_lock(&memory);
  *variable = to;
  pthread_mutex_unlock(&memory);
}

static int comes_before(int other, int self) {
  const int theirs = get(&number[other]), own = get(&number[self]);
  return theirs != 0 && (theirs < own || (theirs == own && other < self));
}

static void* enter(void* which) {
  const int self = which != NULL, other = !self;
  if (choose_first) set(&choosing[self], 1);
  set(&number[self], get(&number[other]) + 1);
  if (choose_first) set(&choosing[self], 0);
  while (get(&choosing[other])) continue;
  while (comes_before(other, self)) continue;
  set(&inside, get(&inside) + 1);
  assert(get(&inside) == 1);
  set(&inside, 0);
  set(&number[self], 0);
  return NULL;
}

static int two_threads(int with_choosing) {
  choose_first = with_choosing;
  pthread_t threads[2];
  for (int i = 0; i < 2; ++i) pthread_create(&threads[i], NULL, enter, i != 0 ? &memory : NULL);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  return 0;
}
