// A sequence lock: the writer makes the number odd, writes, and makes it even again; a reader takes what it has read
// only if the number was even before and is the same after. The data are relaxed atomics, since readers race with the
// writer (Boehm, "Can seqlocks get along with programming language memory models?", MSPC 2012).
#pragma once

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_uint sequence;
static atomic_int left, right;

static void write_both(int value) {
  atomic_fetch_add(&sequence, 1);
  atomic_store_explicit(&left, value, memory_order_relaxed);
  atomic_store_explicit(&right, value, memory_order_relaxed);
  atomic_fetch_add(&sequence, 1);
}

static void read_both(void);

static void* run_writer(void* unused) {
  write_both(1);
  write_both(2);
  return unused;
}

int main(void) {
  pthread_t writer;
  pthread_create(&writer, NULL, run_writer, NULL);
  read_both();
  read_both();
  pthread_join(writer, NULL);
  return 0;
}
