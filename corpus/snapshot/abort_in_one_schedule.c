// abort() in the middle of an execution: the search goes on after it, in a new worker where that is needed.
// heddle: run
// expect: bug assertion at bound 1
// twin: strikes_never.c
#include <stdlib.h>

#include "snapshot/one_schedule.h"

int main(void) {
  race(abort);
  return 0;
}
