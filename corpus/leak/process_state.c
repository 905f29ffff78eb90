// What the kernel keeps for a process beside its memory and its descriptors: the umask, the current folder, limits,
// signal handlers, the mask of blocked signals, pending signals.
// heddle: run --max-preemptions=2
// expect: clean bound 2
// isolation: fork
#define _GNU_SOURCE
#include <assert.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "leak/look_on.h"

static char folder[4096];
static struct rlimit limit;

static void check(void) {
  char now[4096];
  struct rlimit seen;
  struct sigaction action;
  sigset_t set;
  assert(getcwd(now, sizeof now) != NULL && strcmp(now, folder) == 0);
  assert(getrlimit(RLIMIT_NOFILE, &seen) == 0 && seen.rlim_cur == limit.rlim_cur);
  assert(sigaction(SIGUSR2, NULL, &action) == 0 && action.sa_handler == SIG_DFL);
  assert(pthread_sigmask(SIG_BLOCK, NULL, &set) == 0 && !sigismember(&set, SIGUSR2));
  assert(sigpending(&set) == 0 && !sigismember(&set, SIGUSR2));
}

static void* change(void* unused) {
  check();
  assert(umask(077) == 022);
  point();
  assert(chdir("/") == 0);
  struct rlimit lower = limit;
  lower.rlim_cur = limit.rlim_cur / 2;
  assert(setrlimit(RLIMIT_NOFILE, &lower) == 0);
  signal(SIGUSR2, SIG_IGN);
  signal(SIGUSR2, SIG_DFL);
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGUSR2);
  assert(pthread_sigmask(SIG_BLOCK, &set, NULL) == 0);
  raise(SIGUSR2);  // stays pending
  return unused;
}

int main(void) {
  umask(022);
  assert(getcwd(folder, sizeof folder) != NULL && getrlimit(RLIMIT_NOFILE, &limit) == 0);
  run_beside(change);
  return 0;
}
