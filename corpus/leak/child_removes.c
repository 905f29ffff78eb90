// Parent and child call the same place of libc for what changes files. With --isolation=snapshot, by hand, the call in
// the child was judged as one of the execution, and ended it (tests/e2e/isolation_test.py).
// heddle: run --max-preemptions=1
// expect: clean bound 1
// isolation: exec
#include <assert.h>
#include <sys/wait.h>
#include <unistd.h>

#include "leak/look_on.h"

static void* have_child(void* unused) {
  assert(unlink("none") != 0);
  point();
  const pid_t child = fork();
  if (child == 0) _exit(unlink("none") != 0 ? 8 : 1);
  int status = 0;
  assert(child > 0 && waitpid(child, &status, 0) == child);
  assert(WIFEXITED(status) && WEXITSTATUS(status) == 8);
  return unused;
}

int main(void) {
  run_beside(have_child);
  return 0;
}
