// A recursion without an end, in one schedule: the stack overflows into its guard, which is a crash.
// heddle: run
// expect: bug crash at bound 1
// twin: strikes_never.c
#include "snapshot/one_schedule.h"

static int descend(volatile int* above) {
  volatile int here[64] = {*above + 1};
  if (*above < 0) return 0;  // never
  return descend(here) + here[1];
}

static void overflow(void) {
  volatile int top = 0;
  changes = descend(&top);
}

int main(void) {
  race(overflow);
  return 0;
}
