// The correct twin of the *_in_one_schedule programs: both looks under one lock, so that nothing comes between them.
// heddle: run
// expect: clean complete
// twin: abort_in_one_schedule.c
#include <stdlib.h>
#define LOOK_UNDER_ONE_LOCK

#include "snapshot/one_schedule.h"

int main(void) {
  race(abort);
  return 0;
}
