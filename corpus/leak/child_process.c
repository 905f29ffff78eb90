// A child process in each execution.
// heddle: run
// expect: clean complete
// isolation: fork
#include <assert.h>
#include <sys/wait.h>
#include <unistd.h>

#include "leak/look_on.h"

static int children;

static void* fork_child(void* unused) {
  point();
  const pid_t child = fork();
  if (child == 0) _exit(5);
  int status = 0;
  assert(child > 0 && waitpid(child, &status, 0) == child);
  assert(WIFEXITED(status) && WEXITSTATUS(status) == 5);
  assert(++children == 1);
  assert(waitpid(-1, &status, WNOHANG) == -1);  // no other child is there
  return unused;
}

int main(void) {
  run_beside(fork_child);
  return 0;
}
