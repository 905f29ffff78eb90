// See children.h.
#include "runtime/world/live_children.h"

#include <signal.h>
#include <sys/wait.h>
#include <time.h>

#include "protocol/operations.h"
#include "runtime/os/system_call.h"
#include "runtime/snapshot/snapshot.h"
#include "runtime/state/runtime.h"
#include "runtime/world/progress.h"
#include "runtime/world/relatives.h"

namespace heddle::runtime {
namespace {

constexpr Nanoseconds kFirstPause = 20'000, kLongestPause = 1'000'000;
constexpr long kMaxTicks = 20;  // hundredths of a second of the processor, that a child may use for one answer
constexpr int kMaxChecks = 2000;

struct ExecutionChildren {
  bool stirred = true;  // those from before the first step may not have come to rest
  bool given_up = false;
};
constinit ExecutionChildren execution_children{};

void pause_for(Nanoseconds duration) {
  const timespec time{0, duration};
  os::system_call(SYS_nanosleep, reinterpret_cast<long>(&time), 0);
}

}  // namespace

// Asked for behind every call. Where executions stop before they start a process, a snapshot has none.
bool has_live_child() {
  if (on_snapshot() && config.perform_effects == 0) return false;
  siginfo_t info;
  return os::system_call(SYS_waitid, P_ALL, 0, reinterpret_cast<long>(&info), WEXITED | WNOHANG | WNOWAIT | __WALL,
                         0) == 0;
}

void children_may_go_on() { execution_children.stirred = true; }

// At rest: nobody runs, and nobody has run between two looks. One look is not enough, as who is seen asleep first may
// be woken by who is seen second.
namespace {

void wait_for_rest() {
  ask_relatives();
  const Progress first = progress_of_children();
  Progress before = first;
  Nanoseconds pause = kFirstPause;
  for (int checks = 0; checks < kMaxChecks; ++checks) {
    if (before.busy) {
      pause_for(pause);
      if (pause < kLongestPause) pause *= 2;
    }
    const Progress now = progress_of_children();
    if (!now.busy && !before.busy && now.turns == before.turns) return;
    if (now.ticks - first.ticks > kMaxTicks) break;
    before = now;
  }
  execution_children.given_up = true;  // it computes on its own: when it comes to an end is not controlled
}

}  // namespace

void let_children_rest() {
  if (!execution_children.given_up) wait_for_rest();
}

bool children_may_have_moved() {
  if (!execution_children.stirred || execution_children.given_up) return false;
  execution_children.stirred = false;
  return has_live_child();
}

}  // namespace heddle::runtime
