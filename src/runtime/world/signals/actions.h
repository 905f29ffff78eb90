// What the program's action of a signal does, and the default one.
#pragma once

#include <signal.h>

#include "runtime/os/signal_action.h"
#include "runtime/state/runtime.h"

namespace heddle::runtime {

inline bool has_default_action(const os::SignalAction& action) {
  return action.handler == reinterpret_cast<void*>(SIG_DFL);
}
bool ignores(const os::SignalAction& action, int signal);
// With the action that it has now.
bool ignores(int signal);
bool ends_process(int signal);

// What no handler takes and nobody ignores.
[[noreturn]] void take_default_action(int signal, const siginfo_t& info, Site site);

}  // namespace heddle::runtime
