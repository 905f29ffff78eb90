// What most programs of this folder share: a thread that only synchronizes, beside the one that leaves something
// behind.
#pragma once

#include "snapshot/two_threads.h"

static void* look_on(void* unused) {
  point();
  return unused;
}

static inline void run_beside(void* (*work)(void*)) { run_two(work, look_on); }
