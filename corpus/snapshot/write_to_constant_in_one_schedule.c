// A write to read-only data, in one schedule: a protection fault that is the program's own, not one of a saved page.
// heddle: run
// expect: bug crash at bound 1
// twin: strikes_never.c
#include "snapshot/one_schedule.h"

static const int constants[2048] = {1, 2, 3};

static void write_constant(void) { *(volatile int*)&constants[1024] = 7; }

int main(void) {
  race(write_constant);
  return 0;
}
