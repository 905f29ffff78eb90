// Two threads take both semaphores of a System V set, one after the other, in opposite orders.
// heddle: run
// expect: bug deadlock at bound 1
// isolation: exec
#include "semaphore_set_order.h"

static void take_both(unsigned short first, unsigned short second) {
  struct sembuf one = {first, -1, 0}, other = {second, -1, 0};
  assert(semop(set, &one, 1) == 0);
  assert(semop(set, &other, 1) == 0);
}
