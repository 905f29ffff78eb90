// Timers that were made before the threads are set during the test, and one is over: at the start of each execution
// they are not set, and nothing can be read.
// heddle: run --max-preemptions=2
// expect: clean bound 2
#include <assert.h>
#include <errno.h>
#include <poll.h>
#include <stdint.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "leak/look_on.h"

static int timer, soon;

static void* set_timer(void* unused) {
  struct itimerspec in_a_day = {.it_value = {.tv_sec = 86400}}, at_once = {.it_value = {.tv_nsec = 1}}, seen;
  uint64_t count;
  struct pollfd entry = {.fd = soon, .events = POLLIN};
  assert(read(soon, &count, sizeof count) == -1 && errno == EAGAIN);
  assert(timerfd_gettime(timer, &seen) == 0 && seen.it_value.tv_sec == 0);
  point();
  assert(timerfd_settime(timer, 0, &in_a_day, NULL) == 0);
  assert(timerfd_settime(soon, 0, &at_once, NULL) == 0 && poll(&entry, 1, -1) == 1);
  return unused;
}

int main(void) {
  timer = timerfd_create(CLOCK_MONOTONIC, 0);
  soon = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK);
  assert(timer >= 0 && soon >= 0);
  run_beside(set_timer);
  return 0;
}
