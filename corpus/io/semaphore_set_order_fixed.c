// The twin of semaphore_set_order: both are taken by one call, together or not at all.
// heddle: run
// expect: clean complete
// isolation: exec
#include "semaphore_set_order.h"

static void take_both(unsigned short first, unsigned short second) {
  struct sembuf both[] = {{first, -1, 0}, {second, -1, 0}};
  assert(semop(set, both, 2) == 0);
}
