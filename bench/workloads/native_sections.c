// Creates and joins the tasks of sections.h again and again without heddle, and prints how often in a second.
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "sections.h"

static double now_s(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

int main(int count, char** arguments) {
  if (count != 4) return 2;
  const int tasks = atoi(arguments[1]), sections = atoi(arguments[2]), rounds = atoi(arguments[3]);
  const double start_s = now_s();
  for (int i = 0; i < rounds; ++i) {
    entered = 0;
    if (run_sections(tasks, sections) != 0) return 1;
  }
  printf("%.0f per second\n", rounds / (now_s() - start_s));
  return 0;
}
