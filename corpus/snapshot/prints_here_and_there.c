// Some schedules print in their middle, some at their end, some crash or end with a status after it, some print nothing
// at all: what each has printed is its own.
// heddle: run --output=all --keep-going --max-preemptions=2
// expect: bug crash
#include <stdio.h>

#include "snapshot/two_threads.h"

static int turns, order;

static void take_turns(int who) {
  for (int i = 0; i < 3; ++i) {
    pthread_mutex_lock(&point_mutex);
    if ((turns * 7 + who) % 3 == 0) printf("%d at %d\n", who, turns);
    order = order * 2 + who;
    ++turns;
    pthread_mutex_unlock(&point_mutex);
  }
}

static void* first(void* unused) { return take_turns(0), unused; }
static void* second(void* unused) { return take_turns(1), unused; }

int main(void) {
  printf("before\n");
  run_two(first, second);
  if (order % 5 == 0) return 3;
  if (order % 5 == 1) {
    printf("order %d", order);
    __builtin_trap();
  }
  if (order % 2 != 0) printf("odd\n");
  return 0;
}
