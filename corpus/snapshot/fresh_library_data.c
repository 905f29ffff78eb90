// Data of the C library: random numbers, strtok, an environment variable, the locale.
// heddle: run
// expect: clean complete
#define _GNU_SOURCE
#include <assert.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "snapshot/two_threads.h"

static int first_random;
static double first_drand48;
static char text[] = "one two three";

static void* use(void* unused) {
  point();
  assert(rand() == first_random);
  assert(strcmp(strtok(NULL, " "), "two") == 0);
  assert(getenv("HEDDLE_CORPUS_DURING") == NULL);
  assert(strcmp(getenv("HEDDLE_CORPUS_BEFORE"), "before") == 0);
  setenv("HEDDLE_CORPUS_DURING", "set", 1);
  setenv("HEDDLE_CORPUS_BEFORE", "changed, and longer than it was", 1);
  assert(strcmp(setlocale(LC_ALL, NULL), "C") == 0);
  if (setlocale(LC_ALL, "C.UTF-8") != NULL) {
    char converted[32];
    snprintf(converted, sizeof converted, "%ls", L"\u00e4");
    assert(strlen(converted) == 2);
  }
  return unused;
}

static void* look_on(void* unused) {
  point();
  return unused;
}

int main(void) {
  srand(1);
  srand48(1);
  first_random = rand();
  first_drand48 = drand48();
  srand(1);
  srand48(1);
  setenv("HEDDLE_CORPUS_BEFORE", "before", 1);
  strtok(text, " ");
  run_two(use, look_on);
  srand(1);
  assert(rand() == first_random);
  assert(drand48() == first_drand48);
  return 0;
}
