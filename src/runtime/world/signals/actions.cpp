// See actions.h.
#include "runtime/world/signals/actions.h"

#include "runtime/state/up_calls.h"

namespace heddle::runtime {
namespace {

bool ignored_by_default(int signal) {
  return signal == SIGCHLD || signal == SIGURG || signal == SIGWINCH || signal == SIGCONT;
}

bool stops(int signal) { return signal == SIGSTOP || signal == SIGTSTP || signal == SIGTTIN || signal == SIGTTOU; }

}  // namespace

bool ignores(const os::SignalAction& action, int signal) {
  return action.handler == reinterpret_cast<void*>(SIG_IGN) ||
         (has_default_action(action) && ignored_by_default(signal));
}

bool ignores(int signal) { return ignores(program_action(signal), signal); }

bool ends_process(int signal) {
  const os::SignalAction action = program_action(signal);
  return has_default_action(action) && !ignores(action, signal);
}

void take_default_action(int signal, const siginfo_t& info, Site site) {
  if (stops(signal)) not_modelled("raise (a signal that stops the process)");
  die_of_signal(signal, info, site);
}

}  // namespace heddle::runtime
