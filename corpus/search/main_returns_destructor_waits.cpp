// main() waits until all has been written before it returns.
// heddle: run
// expect: clean complete
// twin: main_returns_destructor.cpp
#include "main_returns_destructor.h"

int main() {
  start();
  journal.wait_for(2);
  return 0;
}
