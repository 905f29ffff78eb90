// A file is to be given an attribute. There is none of that name, so nothing is changed; but Heddle stops before it
// knows.
// heddle: run --max-preemptions=1
// expect: clean bound 1
// isolation: exec
#include <assert.h>
#include <errno.h>
#include <sys/xattr.h>

#include "leak/look_on.h"

static void* mark(void* unused) {
  point();
  assert(setxattr("/nowhere/at/all", "user.mark", "1", 1, XATTR_CREATE) == -1 && errno == ENOENT);
  return unused;
}

int main(void) {
  run_beside(mark);
  return 0;
}
