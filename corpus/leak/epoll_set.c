// An epoll set that was made before the threads: a descriptor is added to it in each execution, and is not in it yet.
// heddle: run --max-preemptions=2
// expect: clean bound 2
#include <assert.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "leak/look_on.h"

static int set, ends[2];

static void* add(void* unused) {
  struct epoll_event event = {.events = EPOLLIN};
  point();
  assert(epoll_ctl(set, EPOLL_CTL_ADD, ends[0], &event) == 0);
  return unused;
}

int main(void) {
  set = epoll_create1(0);
  assert(set >= 0 && pipe(ends) == 0);
  run_beside(add);
  return 0;
}
