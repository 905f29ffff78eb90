// The process gives up its privileges, with other threads alive: that holds for all of them, and must not be so at the
// beginning of the next execution. Who has none is refused.
// heddle: run --max-preemptions=2
// expect: clean bound 2
// isolation: fork
#define _GNU_SOURCE
#include <assert.h>
#include <grp.h>
#include <unistd.h>

#include "leak/look_on.h"

enum { OTHER = 12345 };
static uid_t user;
static int may, dropped;

static int is_in_other_group(void) {
  gid_t groups[100];
  return getgroups(100, groups) > 0 && groups[0] == OTHER;
}

static void* drop(void* unused) {
  const gid_t groups[] = {OTHER, OTHER + 1};
  assert(geteuid() == user && getegid() != OTHER && !is_in_other_group());
  assert((setgroups(2, groups) == 0) == may);
  assert((setresgid(OTHER, OTHER, OTHER) == 0) == may);
  assert((setresuid(OTHER, OTHER, -1) == 0) == may);
  dropped = may;
  point();
  assert((seteuid(0) == 0) == may && geteuid() == (may ? 0 : user));
  assert((setuid(OTHER) == 0) == may && (seteuid(0) == 0) == 0);
  point();
  return unused;
}

int main(void) {
  user = geteuid();
  may = user == 0;
  run_beside(drop);
  assert(dropped == may && getuid() == (may ? OTHER : user) && is_in_other_group() == may);
  assert(setuid(user) == (may ? -1 : 0));
  return 0;
}
