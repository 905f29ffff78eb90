// What both orders of Peterson's entry have in common.
#pragma once

#include "atomics/two_threads.h"

static atomic_bool wants[2];
static atomic_int turn;

static void pass(int self) {
  while (atomic_load(&wants[1 - self]) && atomic_load(&turn) == 1 - self) {
  }
  be_alone();
  atomic_store(&wants[self], false);
}
