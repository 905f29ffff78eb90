// See change_action.h.
#include "runtime/world/signals/change_action.h"

#include <errno.h>
#include <sys/syscall.h>

#include <cstring>

#include "runtime/os/real.h"
#include "runtime/os/signal_action.h"
#include "runtime/os/system_call.h"
#include "runtime/state/operation.h"
#include "runtime/state/up_calls.h"

namespace heddle::runtime {
namespace {

struct PermanentActions {
  void* restorer = nullptr;
};
HEDDLE_PERMANENT constinit PermanentActions permanent_actions{};

os::SignalAction for_kernel(const struct sigaction& action) {
  os::SignalAction result;
  result.handler = reinterpret_cast<void*>(action.sa_handler);
  result.flags = static_cast<unsigned>(action.sa_flags) | os::kRestorer;
  result.restorer = permanent_actions.restorer;
  memcpy(&result.mask, &action.sa_mask, sizeof result.mask);
  return result;
}

void tell(const os::SignalAction& action, struct sigaction& to) {
  to.sa_handler = reinterpret_cast<sighandler_t>(action.handler);
  memcpy(&to.sa_mask, &action.mask, sizeof action.mask);
  to.sa_flags = static_cast<int>(action.flags);
  to.sa_restorer = reinterpret_cast<void (*)()>(action.restorer);
}

}  // namespace

// It can only be seen in what libc has set. No thread but this one is there, and no signal comes meanwhile.
void learn_restorer() {
  constexpr int kSignal = SIGWINCH;
  const std::uint64_t mask = os::replace_signal_mask(~std::uint64_t{0});
  os::SignalAction before, set;
  struct sigaction action {};
  action.sa_handler = SIG_IGN;
  if (os::set_signal_action(kSignal, nullptr, &before) == 0 && real::sigaction(kSignal, &action, nullptr) == 0) {
    os::set_signal_action(kSignal, &before, &set);
    if ((set.flags & os::kRestorer) != 0) permanent_actions.restorer = set.restorer;
  }
  os::replace_signal_mask(mask);
}

int change_action(int signal, const struct sigaction* wanted, struct sigaction* old) {
  if (permanent_actions.restorer == nullptr || !dispatch_available() || runtime.mode != Mode::Branching)
    return real::sigaction(signal, wanted, old);
  os::SignalAction action, before;
  if (wanted != nullptr) action = for_kernel(*wanted);
  const SystemCall call{SYS_rt_sigaction,
                        {signal, wanted != nullptr ? reinterpret_cast<long>(&action) : 0,
                         old != nullptr ? reinterpret_cast<long>(&before) : 0, sizeof action.mask}};
  const long result = make_program_call(call);
  if (result == 0 && old != nullptr) tell(before, *old);
  return static_cast<int>(as_libc_returns(result));
}

}  // namespace heddle::runtime
