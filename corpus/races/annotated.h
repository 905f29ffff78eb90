// Threads whose order no tool can see: relaxed atomics order nothing. A program may say what it knows, in the
// words that ThreadSanitizer knows.
#pragma once

#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

void AnnotateHappensBefore(const char* file, int line, const volatile void* address);
void AnnotateHappensAfter(const char* file, int line, const volatile void* address);
void AnnotateRWLockAcquired(const char* file, int line, const volatile void* lock, long writes);
void AnnotateRWLockReleased(const char* file, int line, const volatile void* lock, long writes);
void AnnotateIgnoreReadsBegin(const char* file, int line);
void AnnotateIgnoreReadsEnd(const char* file, int line);

static atomic_int given, lock;
static int passed, shared, looked_at;

static void say_given(void);
static void say_taken(void);
static void say_locked(void);
static void say_unlocked(void);
static int look(void);

static void count(void) {
  while (atomic_exchange_explicit(&lock, 1, memory_order_relaxed)) {
  }
  say_locked();
  ++shared;
  say_unlocked();
  atomic_store_explicit(&lock, 0, memory_order_relaxed);
}

static void* give(void* unused) {
  passed = 1;
  say_given();
  atomic_store_explicit(&given, 1, memory_order_relaxed);
  count();
  looked_at = 1;
  return unused;
}

static void* take(void* unused) {
  while (!atomic_load_explicit(&given, memory_order_relaxed)) {
  }
  say_taken();
  passed = 2;
  count();
  return unused;
}

int main(void) {
  pthread_t threads[2];
  pthread_create(&threads[0], NULL, give, NULL);
  pthread_create(&threads[1], NULL, take, NULL);
  const int seen = look();
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  return shared == 2 && passed == 2 && seen <= 1 ? 0 : 1;
}
