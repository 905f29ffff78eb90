// The program crashes before its first thread: no schedule has anything to do with it.
// heddle: run
// expect: no verdict
// says: before
#include <signal.h>

int main(void) {
  raise(SIGSEGV);
  return 0;
}
