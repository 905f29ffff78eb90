// See masks.h.
#include "runtime/world/signals/masks.h"

#include <signal.h>

#include "model/interrupts.h"
#include "runtime/os/system_call.h"
#include "runtime/snapshot/snapshot.h"
#include "runtime/state/operation.h"
#include "runtime/state/up_calls.h"
#include "runtime/world/signals/adopt.h"
#include "runtime/world/signals/deliver.h"
#include "runtime/world/signals/outside.h"
#include "runtime/world/signals/timers.h"
#include "runtime/world/undo.h"

namespace heddle::runtime {
namespace {

using model::signal_bit;

struct ProcessSignals {
  bool are_virtual = false;
};
constinit ProcessSignals process_signals{};

// In the handler of a fault the kernel blocks its signal, and the program may open it there.
void open_faults(std::uint64_t open) {
  constexpr std::uint64_t kFaults =
      signal_bit(SIGSEGV) | signal_bit(SIGBUS) | signal_bit(SIGFPE) | signal_bit(SIGILL) | signal_bit(SIGTRAP);
  open_faults_of_task(open);
  const std::uint64_t set = open & kFaults;
  std::uint64_t before = 0;
  os::system_call(SYS_rt_sigprocmask, SIG_UNBLOCK, reinterpret_cast<long>(&set), reinterpret_cast<long>(&before),
                  sizeof set);
  if ((before & set) != 0 && on_snapshot()) on_signal_mask();
}

}  // namespace

bool signals_are_virtual() { return process_signals.are_virtual; }

void make_signals_virtual() {
  if (process_signals.are_virtual) return;
  const std::uint64_t mask = os::replace_signal_mask(~std::uint64_t{0});
  os::replace_signal_mask(mask);
  for (std::uint32_t id = 0; id < runtime.world->population().task_count(); ++id)
    if (const auto task = static_cast<TaskId>(id); !runtime.world->task(task).timer)
      model::block_signals(*runtime.world, task, mask);
  process_signals.are_virtual = true;
  adopt_pending_signals();
}

void make_signals_real() {
  if (!process_signals.are_virtual) return;
  process_signals.are_virtual = false;
  leave_faults_to_kernel();
  // A snapshot sees writes and system calls by these two.
  os::replace_signal_mask(signal_mask() & ~(signal_bit(SIGSEGV) | signal_bit(SIGSYS)));
}

std::uint64_t signal_mask() { return runtime.world->task(runtime.current).blocked_signals; }

void change_signal_mask(std::uint64_t mask, Site site) {
  model::Operation change = operation(OperationKind::SignalMask, runtime.world->task(runtime.current).thread, site);
  change.argument = mask;
  const std::uint64_t before = signal_mask();
  perform(change);
  poll_children(mask & ~before);
  give_signals_back(runtime.current);
  on_timer_action_changed(~std::uint64_t{0});
  open_faults(~mask);
  deliver_signals();
}

void replace_virtual_mask(std::uint64_t mask) {
  model::block_signals(*runtime.world, runtime.current, mask);
  on_timer_action_changed(~std::uint64_t{0});
}

void lend_signal_mask(std::uint64_t mask) {
  TaskData& data = current_data();
  data.lent_mask = signal_mask();
  data.mask_is_lent = true;
  replace_virtual_mask(mask);
}

void take_back_signal_mask() {
  TaskData& data = current_data();
  if (data.mask_is_lent) replace_virtual_mask(data.lent_mask);
  data.mask_is_lent = false;
}

}  // namespace heddle::runtime
