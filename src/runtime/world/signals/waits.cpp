// See waits.h.
#include "runtime/world/signals/waits.h"

#include <errno.h>
#include <string.h>

#include "model/interrupts.h"
#include "runtime/snapshot/user_memory.h"
#include "runtime/state/operation.h"
#include "runtime/world/clock.h"
#include "runtime/world/signals/masks.h"
#include "runtime/world/signals/queue.h"

namespace heddle::runtime {

int wait_for_signal(const sigset_t* set, siginfo_t* info, const timespec* timeout, Site site) {
  if (!can_read(set, sizeof(std::uint64_t)) || (timeout != nullptr && !can_read(timeout))) return -EFAULT;
  if (timeout != nullptr && (!valid(*timeout) || timeout->tv_sec < 0)) return -EINVAL;
  model::Operation wait = operation(OperationKind::SignalWait, runtime.world->task(runtime.current).thread, site);
  memcpy(&wait.argument, set, sizeof wait.argument);
  wait.deadline = timeout != nullptr ? deadline_after(*timeout) : kNoDeadline;
  wait.interruptible = kEndedBySignals;
  const std::int32_t result = perform(wait);
  if (result == ETIMEDOUT) return -EAGAIN;
  if (result == EINTR) return -EINTR;
  const int signal = result & ~(model::kSignalTaken | model::kFromProcess);
  const siginfo_t taken = take_signal((result & model::kFromProcess) != 0 ? kNoTask : runtime.current, signal);
  if (info == nullptr) return signal;
  *info = taken;
  if (info->si_code == SI_TKILL) info->si_code = SI_USER;  // as glibc shows it
  return signal;
}

int suspend_under_mask(std::uint64_t mask, Site site) {
  TaskData& data = current_data();
  model::Operation suspend = operation(OperationKind::SignalSuspend, runtime.world->task(runtime.current).thread, site);
  suspend.argument = mask;
  suspend.interruptible = kEndedBySignals;
  data.lent_mask = signal_mask();
  data.mask_is_lent = true;
  const int error = perform(suspend);
  data.mask_is_lent = false;
  return -error;
}

}  // namespace heddle::runtime
