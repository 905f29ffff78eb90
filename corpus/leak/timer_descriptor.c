// A timerfd that was made before the threads is set during the test, and is not set at the start of each execution.
// heddle: run --max-preemptions=2
// expect: clean bound 2
// isolation: exec
#include <assert.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "leak/look_on.h"

static int timer;

static void* set_timer(void* unused) {
  struct itimerspec in_a_day = {.it_value = {.tv_sec = 86400}}, seen;
  assert(timerfd_gettime(timer, &seen) == 0 && seen.it_value.tv_sec == 0);
  point();
  assert(timerfd_settime(timer, 0, &in_a_day, NULL) == 0);
  return unused;
}

int main(void) {
  timer = timerfd_create(CLOCK_MONOTONIC, 0);
  assert(timer >= 0);
  run_beside(set_timer);
  return 0;
}
