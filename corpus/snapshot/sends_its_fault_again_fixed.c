// The mutex is held from the look to the use.
// heddle: run
// expect: clean complete
// twin: sends_its_fault_again.c
#define _GNU_SOURCE
#define HOLDS_ON 1
#include "snapshot/reports_its_fault.h"

static void report(int number) {
  static const char text[] = "a fault\n";
  if (write(STDERR_FILENO, text, sizeof text - 1) < 0) abort();
  signal(number, SIG_DFL);
  raise(number);
}
