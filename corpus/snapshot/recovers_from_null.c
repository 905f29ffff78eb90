// A program that reads through a null pointer on purpose and comes back by siglongjmp.
// heddle: run
// expect: clean complete
#define _GNU_SOURCE
#include <assert.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>

#include "snapshot/two_threads.h"

static sigjmp_buf back;
static volatile sig_atomic_t recovered;
static volatile int* volatile nothing;

static void recover(int number) {
  ++recovered;
  siglongjmp(back, number);
}

static void* try_to_read(void* unused) {
  point();
  const int number = sigsetjmp(back, 1);
  if (number == 0) {
    (void)*nothing;
    abort();
  }
  assert(number == SIGSEGV);
  assert(recovered == 1);
  point();
  return unused;
}

static void* look_on(void* unused) {
  point();
  return unused;
}

int main(void) {
  struct sigaction action = {.sa_handler = recover};
  assert(sigaction(SIGSEGV, &action, NULL) == 0);
  run_two(try_to_read, look_on);
  return 0;
}
