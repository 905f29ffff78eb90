// Reads of clocks, of the process id, of the size of the machine, waits and allocations: nothing that snapshots can't
// undo.
// heddle: run
// expect: clean complete
#include <assert.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "leak/look_on.h"

static void* look_around(void* unused) {
  struct timespec now, moment = {.tv_nsec = 1000};
  struct rusage usage;
  assert(clock_gettime(CLOCK_MONOTONIC, &now) == 0);
  assert(getpid() > 0 && sysconf(_SC_NPROCESSORS_ONLN) > 0);
  assert(getrusage(RUSAGE_SELF, &usage) == 0);
  free(malloc(100000));
  nanosleep(&moment, NULL);
  point();
  return unused;
}

int main(void) {
  run_beside(look_around);
  return 0;
}
