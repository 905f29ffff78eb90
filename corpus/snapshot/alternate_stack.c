// A signal handler on an alternate stack that the program sets during the test. The handler comes to no point; the
// other thread only synchronizes.
// heddle: run --max-preemptions=1
// expect: clean bound 1
#define _GNU_SOURCE
#include <assert.h>
#include <signal.h>
#include <stdlib.h>

#include "snapshot/two_threads.h"

enum { SIZE = 64 << 10 };
static char* alternate;
static volatile sig_atomic_t handled, was_on_alternate;

static void handle(int number) {
  volatile char here[8192];
  here[0] = (char)number;
  handled += here[0] == (char)number;
  was_on_alternate = (char*)here >= alternate && (char*)here < alternate + SIZE;
}

static void* use_alternate(void* unused) {
  struct sigaction action = {.sa_handler = handle, .sa_flags = SA_ONSTACK}, old;
  assert(sigaction(SIGUSR1, &action, &old) == 0);
  assert(old.sa_handler == SIG_DFL && handled == 0);
  alternate = malloc(SIZE);
  stack_t mine = {.ss_sp = alternate, .ss_size = SIZE}, before;
  point();
  assert(sigaltstack(&mine, &before) == 0);
  raise(SIGUSR1);
  assert(handled == 1 && was_on_alternate);
  assert(sigaltstack(&before, NULL) == 0);
  point();
  raise(SIGUSR1);
  assert(handled == 2 && !was_on_alternate);
  return unused;
}

static void* look_on(void* unused) {
  point();
  return unused;
}

int main(void) {
  run_two(use_alternate, look_on);
  return 0;
}
