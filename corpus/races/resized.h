// A table of numbers that grows by realloc().
#pragma once
#include <assert.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "races/two_threads.h"

static int* _Atomic table;
static atomic_int count;

static void add(int number) {
  int* const grown = realloc(table, 400 * sizeof *grown);
  grown[count] = number;
  table = grown;
  ++count;
}

__attribute__((constructor)) static void fill(void) {
  table = malloc(2 * sizeof *table);
  table[0] = 7;
  table[1] = 8;
  count = 2;
}
