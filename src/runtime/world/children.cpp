// See children.h. The executing process leads a process group. Processes that have left the group are found among our
// children, since the zygote is a subreaper.
#include "runtime/world/children.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "runtime/os/system_call.h"
#include "runtime/os/wait_process.h"
#include "runtime/state/runtime.h"

namespace heddle::runtime {
namespace {

constexpr int kMaxChildren = 512;  // looked at in one generation; more are found in the next
constexpr int kMaxGenerations = 1000;

struct Children {
  int count = 0;
  int processes[kMaxChildren] = {};

  bool has(int process) const {
    for (int i = 0; i < count; ++i)
      if (processes[i] == process) return true;
    return false;
  }
};

bool any_children() {
  siginfo_t info;
  return os::system_call(SYS_waitid, P_ALL, 0, reinterpret_cast<long>(&info), WEXITED | WNOHANG | WNOWAIT | __WALL) !=
         -ECHILD;
}

// From the kernel's list: numbers, each with a space behind it.
void read_children(Children& children) {
  char path[64];
  const int self = os::process_id();
  snprintf(path, sizeof path, "/proc/self/task/%d/children", self);
  const long file = os::system_call(SYS_openat, AT_FDCWD, reinterpret_cast<long>(path), O_RDONLY | O_CLOEXEC);
  children.count = 0;
  if (file < 0) return;
  char text[4096] = {};
  int number = 0;
  for (long size; (size = os::system_call(SYS_read, file, reinterpret_cast<long>(text), sizeof text)) > 0;) {
    for (long i = 0; i < size; ++i) {
      if (text[i] >= '0' && text[i] <= '9') {
        number = number * 10 + (text[i] - '0');
      } else if (number != 0) {
        if (children.count < kMaxChildren) children.processes[children.count++] = number;
        number = 0;
      }
    }
  }
  os::system_call(SYS_close, file);
}

struct PermanentChildren {
  Children before{};
  int spared = 0;
};
HEDDLE_PERMANENT constinit PermanentChildren permanent_children{};

bool left_behind(int process) {
  return process != permanent_children.spared && !permanent_children.before.has(process);
}

}  // namespace

void adopt_children() {
  os::system_call(SYS_prctl, PR_SET_CHILD_SUBREAPER, 1);
  if (any_children()) read_children(permanent_children.before);
}

void spare_child(int process) { permanent_children.spared = process; }

bool had_children() { return permanent_children.before.count != 0; }

void end_children_left_by(int execution) {
  os::system_call(SYS_kill, -execution, SIGKILL);
  if (!any_children()) return;
  Children left;
  for (int generation = 0; generation < kMaxGenerations; ++generation) {
    read_children(left);
    int ended = 0;
    for (int i = 0; i < left.count; ++i)
      if (left_behind(left.processes[i])) os::system_call(SYS_kill, left.processes[i], SIGKILL);
    for (int i = 0; i < left.count; ++i) {
      if (!left_behind(left.processes[i])) continue;
      ++ended;
      int unused = 0;
      (void)os::wait_process(left.processes[i], unused);  // else the next generation sees it again, a bounded number
    }
    if (ended == 0) return;
  }
}

}  // namespace heddle::runtime
