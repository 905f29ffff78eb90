// A thread leaves a pointer to a variable of its own. It says when it is about to end, and with WAITS it waits for the
// other thread first. Plain reads are no scheduling points, so the first read follows the look at `ends` at once.
#include <semaphore.h>
#include <stdatomic.h>
#include <stddef.h>

#include "races/two_threads.h"

static _Atomic(int*) left;
static atomic_int ends;
static sem_t looked;
static int sum;

__attribute__((constructor)) static void make(void) { sem_init(&looked, 0, 0); }

static void first(void) {
  int own = 1;
  left = &own;
#ifdef WAITS
  sem_wait(&looked);
#endif
  ends = 1;
}

static void look(void) {
  const int* const found = left;
  if (found == NULL || ends) return;
  sum += *found;
  if (left == found) sum += *found;
}

static void second(void) {
  look();
  sem_post(&looked);
}

static void last(void) {}
