// As test frameworks do it around each test (Catch2, doctest, Boost.Test): handlers of fatal signals and an alternate
// stack are set before and taken back behind it. That is no reason to leave snapshots.
// heddle: run --max-preemptions=2
// expect: clean bound 2
#define _GNU_SOURCE
#include <assert.h>
#include <signal.h>
#include <stddef.h>

#include "snapshot/two_threads.h"

enum { SIGNALS = 6 };
static const int signals[SIGNALS] = {SIGINT, SIGILL, SIGFPE, SIGSEGV, SIGTERM, SIGABRT};
static struct sigaction before[SIGNALS];
static char alternate[32 << 10];
static stack_t stack_before;

static void report(int number) {
  for (int i = 0; i < SIGNALS; ++i) sigaction(signals[i], &before[i], NULL);
  raise(number);
}

static void set_handlers(void) {
  const stack_t own = {.ss_sp = alternate, .ss_size = sizeof alternate};
  assert(sigaltstack(&own, &stack_before) == 0 && stack_before.ss_flags == SS_DISABLE);
  const struct sigaction action = {.sa_handler = report, .sa_flags = SA_ONSTACK};
  for (int i = 0; i < SIGNALS; ++i) assert(sigaction(signals[i], &action, &before[i]) == 0);
}

static void take_handlers_back(void) {
  for (int i = 0; i < SIGNALS; ++i) assert(sigaction(signals[i], &before[i], NULL) == 0);
  stack_t own;
  assert(sigaltstack(&stack_before, &own) == 0 && own.ss_sp == alternate);
}

static void* test(void* unused) {
  point();
  return unused;
}

int main(void) {
  for (int tests = 0; tests < 2; ++tests) {
    set_handlers();
    run_two(test, test);
    take_handlers_back();
  }
  return 0;
}
