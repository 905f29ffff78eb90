// Calls that name the process by its id: where executions are processes of their own, they must reach the one that
// calls, not the one that all are forked from.
// heddle: run --max-preemptions=2
// expect: clean bound 2
// isolation: fork
#define _GNU_SOURCE
#include <assert.h>
#include <sys/resource.h>
#include <sys/uio.h>
#include <unistd.h>

#include "leak/look_on.h"

static int value = 5;

static void write_to_itself(void) {
  int other = 6;
  const struct iovec from = {&other, sizeof other}, to = {&value, sizeof value};
  assert(process_vm_writev(getpid(), &from, 1, &to, 1, 0) == sizeof value);
}

static void* work(void* unused) {
  const struct rlimit less = {40, 50};
  struct rlimit now;
  assert(value == 5);
  write_to_itself();
  point();
  assert(value == 6);
  assert(prlimit(getpid(), RLIMIT_NOFILE, NULL, &now) == 0 && now.rlim_max > 50);
  assert(prlimit(getpid(), RLIMIT_NOFILE, &less, NULL) == 0);
  assert(getrlimit(RLIMIT_NOFILE, &now) == 0 && now.rlim_cur == 40);
  assert(getpgid(getpid()) == getpgrp() && getsid(getpid()) == getsid(0));
  return unused;
}

int main(void) {
  assert(getpgid(getpid()) == getpgrp() && getsid(getpid()) == getsid(0));
  run_beside(work);
  return 0;
}
