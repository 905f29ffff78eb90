// main() returns while a detached thread uses an object whose destructor runs at the end of the process.
// heddle: run
// expect: bug assertion at bound 1
// twin: main_returns_destructor_waits.cpp
#include "main_returns_destructor.h"

int main() {
  start();
  return 0;
}
