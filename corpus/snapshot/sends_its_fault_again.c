// The handler sends the signal once more, as Catch2's and doctest's do: the place is that of the fault.
// heddle: run
// expect: bug crash at bound 1
// says: SIGSEGV at address 0x0
// says: reports_its_fault.h:28
// twin: sends_its_fault_again_fixed.c
#define _GNU_SOURCE
#define HOLDS_ON 0
#include "snapshot/reports_its_fault.h"

static void report(int number) {
  static const char text[] = "a fault\n";
  if (write(STDERR_FILENO, text, sizeof text - 1) < 0) abort();
  signal(number, SIG_DFL);
  raise(number);
}
