// See death_signal.h.
#include "runtime/world/death_signal.h"

#include <errno.h>
#include <signal.h>
#include <sys/prctl.h>

#include "runtime/os/system_call.h"
#include "runtime/snapshot/user_memory.h"
#include "runtime/state/runtime.h"

namespace heddle::runtime {
namespace {

// A process that the program has made itself has the kernel's.
bool is_ours() { return runtime.mode == Mode::Alone || runtime.mode == Mode::Branching; }

}  // namespace

bool is_about_death_signal(const SystemCall& call) {
  const auto option = static_cast<int>(call.arguments[0]);
  return (option == PR_SET_PDEATHSIG || option == PR_GET_PDEATHSIG) && is_ours();
}

long answer_death_signal(const SystemCall& call) {
  constexpr unsigned long kLast = 64;
  int& own = current_data().death_signal;
  if (static_cast<int>(call.arguments[0]) == PR_SET_PDEATHSIG) {
    if (static_cast<unsigned long>(call.arguments[1]) > kLast) return -EINVAL;
    own = static_cast<int>(call.arguments[1]);
    return 0;
  }
  int* const shown = reinterpret_cast<int*>(call.arguments[1]);
  if (!can_write(shown)) return -EFAULT;
  *shown = own;
  return 0;
}

void keep_death_signal() {
  int present = SIGKILL;
  os::system_call(SYS_prctl, PR_GET_PDEATHSIG, reinterpret_cast<long>(&present));
  if (present == SIGKILL || !is_ours()) return;
  os::system_call(SYS_prctl, PR_SET_PDEATHSIG, SIGKILL);
  for (std::uint32_t id = 0; id < runtime.world->population().task_count(); ++id) runtime.tasks[id].death_signal = 0;
}

}  // namespace heddle::runtime
