// A program's own signal handlers: they run with all signals blocked, on a part of the stack that nothing has written
// to yet, write to fresh pages and make system calls; one leaves by siglongjmp.
// heddle: run --max-preemptions=2
// expect: clean bound 2
#define _GNU_SOURCE
#include <assert.h>
#include <setjmp.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "snapshot/two_threads.h"

enum { PAGE = 4096, PAGES = 8 };
static char pages[PAGES * PAGE];
static int raised, divided;
static _Thread_local sigjmp_buf back;
static volatile int zero;

static void on_user(int number) {
  (void)number;
  for (int i = 0; i < PAGES; ++i) __atomic_add_fetch(&pages[i * PAGE], 1, __ATOMIC_SEQ_CST);
  __atomic_add_fetch(&raised, getppid() != 0, __ATOMIC_SEQ_CST);
}

static void on_division(int number) {
  (void)number;
  __atomic_add_fetch(&divided, 1, __ATOMIC_SEQ_CST);
  siglongjmp(back, 1);
}

static __attribute__((noinline)) int go_deep(int depth) {
  volatile char room[3000];
  memset((char*)room, depth, sizeof room);
  if (depth != 0) return go_deep(depth - 1) + room[0];
  raise(SIGUSR1);
  if (sigsetjmp(back, 1) == 0) return 10 / zero;
  return room[1];
}

static void* run(void* depth) {
  point();
  go_deep((int)(size_t)depth);
  point();
  return NULL;
}

static void* run_shallow(void* unused) { return (void)unused, run((void*)5); }
static void* run_deep(void* unused) { return (void)unused, run((void*)15); }

int main(void) {
  struct sigaction action;
  memset(&action, 0, sizeof action);
  sigfillset(&action.sa_mask);
  action.sa_handler = on_user;
  sigaction(SIGUSR1, &action, NULL);
  action.sa_handler = on_division;
  sigaction(SIGFPE, &action, NULL);
  run_two(run_shallow, run_deep);
  struct sigaction present;
  sigaction(SIGFPE, NULL, &present);
  assert(sigismember(&present.sa_mask, SIGSEGV) == 1);
  assert(raised == 2 && divided == 2 && pages[0] == 2);
  return 0;
}
