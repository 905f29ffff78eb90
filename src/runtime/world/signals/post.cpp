// See post.h.
#include "runtime/world/signals/post.h"

#include <errno.h>
#include <unistd.h>

#include "model/interrupts.h"
#include "runtime/state/process_ids.h"
#include "runtime/state/up_calls.h"
#include "runtime/world/signals/actions.h"
#include "runtime/world/signals/queue.h"

namespace heddle::runtime {

siginfo_t own_signal(int signal, int code, sigval value) {
  siginfo_t info{};
  info.si_signo = signal;
  info.si_code = code;
  info.si_pid = shown_process_id();
  info.si_uid = getuid();
  info.si_value = value;
  return info;
}

int post_signal(TaskId owner, const siginfo_t& info, Site site, bool to_process) {
  const int signal = info.si_signo;
  const bool blocked =
      owner == kNoTask || (runtime.world->task(owner).blocked_signals & model::signal_bit(signal)) != 0;
  if (!blocked) {
    const os::SignalAction action = program_action(signal);
    const bool awaited = model::awaits(runtime.world->task(owner), signal);
    if (ignores(action, signal) && !awaited) return 0;
    if (has_default_action(action) && !awaited) take_default_action(signal, info, site);
  }
  return enqueue_signal(owner, signal, info, to_process) ? 0 : EAGAIN;
}

int post_sent_signal(std::int32_t result, const siginfo_t& info, bool to_process, Site site) {
  if (result == model::kNobody || info.si_signo == 0) return 0;
  return post_signal(result == model::kForProcess ? kNoTask : static_cast<TaskId>(result), info, site, to_process);
}

}  // namespace heddle::runtime
