// A computation of so many milliseconds after the first task was created, before there is anything to explore:
// prefix MILLISECONDS. Every schedule shares the computation.
#include <stdint.h>
#include <stdlib.h>

#include "sections.h"

enum { ROUNDS_PER_MS = 880000 };
static volatile uint64_t result = 1;

static void compute(long rounds) {
  for (long i = 0; i < rounds; ++i) result = result * 6364136223846793005u + 1;
}

static void* nothing(void* unused) { return unused; }

int main(int count, char** arguments) {
  if (count != 2) return 2;
  pthread_t first;
  pthread_create(&first, NULL, nothing, NULL);
  pthread_join(first, NULL);
  compute(atol(arguments[1]) * ROUNDS_PER_MS);
  return run_sections(2, 2);
}
