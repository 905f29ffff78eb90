// main() returns while three threads go on, each with a lock of its own, and nothing runs then. That the process may
// end at any time makes no difference: the threads have nothing in common.
// heddle: run --search=dpor
// expect: clean complete
// schedules: 4
// twin: main_returns_handler.c
#include "main_returns.h"

int main(void) {
  start();
  return 0;
}
