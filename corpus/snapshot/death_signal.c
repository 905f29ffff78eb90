// Heddle's own processes die with their parents. The program is told only what it has set itself: nothing at first.
// heddle: run
// expect: clean complete
#include <assert.h>
#include <errno.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "snapshot/two_threads.h"

static int present(void) {
  int signal = -1;
  assert(prctl(PR_GET_PDEATHSIG, &signal) == 0);
  return signal;
}

static void* set(void* unused) {
  assert(present() == 0);  // a new thread has none
  point();
  assert(prctl(PR_SET_PDEATHSIG, SIGUSR1) == 0 && present() == SIGUSR1);
  assert(syscall(SYS_prctl, PR_SET_PDEATHSIG, SIGUSR2) == 0 && present() == SIGUSR2);
  assert(prctl(PR_SET_PDEATHSIG, 65) == -1 && errno == EINVAL && present() == SIGUSR2);
  return unused;
}

static void* look_on(void* unused) {
  point();
  assert(present() == 0);
  return unused;
}

int main(void) {
  assert(present() == 0);
  assert(prctl(PR_SET_PDEATHSIG, SIGTERM) == 0);
  run_two(set, look_on);
  assert(present() == SIGTERM);
  return 0;
}
