// A ticket lock (Mellor-Crummey and Scott, 1991): who comes takes a number, and waits until it is served.
#pragma once

#include "atomics/two_threads.h"

static atomic_uint next_ticket, now_serving;

static unsigned take_ticket(void);

static void* work(void* unused) {
  for (int i = 0; i < 2; ++i) {
    const unsigned ticket = take_ticket();
    while (atomic_load(&now_serving) != ticket) {
    }
    be_alone();
    atomic_fetch_add(&now_serving, 1);
  }
  return unused;
}

int main(void) { return run_two(work); }
