// See held_signals.h.
#include "runtime/world/signals/held_signals.h"

#include <signal.h>

#include "model/interrupts.h"
#include "runtime/os/system_call.h"
#include "runtime/state/runtime.h"
#include "runtime/state/up_calls.h"
#include "runtime/world/signals/actions.h"

namespace heddle::runtime {
namespace {

using model::signal_bit;

// A fault would end the process if its signal were blocked.
constexpr std::uint64_t kNeverHeld = signal_bit(SIGSEGV) | signal_bit(SIGBUS) | signal_bit(SIGFPE) |
                                     signal_bit(SIGILL) | signal_bit(SIGTRAP) | signal_bit(SIGSYS);

struct ProcessHeldSignals {
  bool held = false;
  bool has_come = false, restarts = false;
  std::uint64_t mask = 0;  // the kernel's, before they were held
};
constinit ProcessHeldSignals process_held_signals{};

std::uint64_t pending_in_kernel() {
  std::uint64_t pending = 0;
  os::system_call(SYS_rt_sigpending, reinterpret_cast<long>(&pending), sizeof pending);
  return pending;
}

// Whoever waits for something that a signal ends; else anybody.
TaskId who_is_interrupted() {
  const model::World& world = *runtime.world;
  for (std::uint32_t id = 0; id < world.population().task_count(); ++id) {
    const model::Task& task = world.task(static_cast<TaskId>(id));
    if (!task.ended && !task.timer && task.published && (task.pending.interruptible & model::Interrupt::Signal) != 0)
      return static_cast<TaskId>(id);
  }
  return runtime.current;
}

}  // namespace

void hold_signals() {
  if (runtime.mode == Mode::Branching || process_held_signals.held) return;
  process_held_signals = {.held = true, .mask = os::replace_signal_mask(~kNeverHeld)};
}

bool held_signal_interrupts() {
  if (!process_held_signals.held || process_held_signals.has_come) return process_held_signals.has_come;
  for (std::uint64_t left = pending_in_kernel() & ~process_held_signals.mask; left != 0; left &= left - 1) {
    const int signal = __builtin_ctzll(left) + 1;
    const os::SignalAction action = program_action(signal);
    if (ignores(action, signal)) continue;
    process_held_signals.has_come = true;
    process_held_signals.restarts = (action.flags & SA_RESTART) != 0;
    model::interrupt(*runtime.world, who_is_interrupted(), true);
    return true;
  }
  return false;
}

Handled let_held_signals_in() {
  if (!process_held_signals.held) return Handled::Nothing;
  const ProcessHeldSignals before = process_held_signals;
  process_held_signals = {};
  if (before.has_come)
    for (std::uint32_t id = 0; id < runtime.world->population().task_count(); ++id)
      model::interrupt(*runtime.world, static_cast<TaskId>(id), false);
  os::replace_signal_mask(before.mask);  // their handlers run here
  if (!before.has_come) return Handled::Nothing;
  return before.restarts ? Handled::Restarts : Handled::Ends;
}

}  // namespace heddle::runtime
