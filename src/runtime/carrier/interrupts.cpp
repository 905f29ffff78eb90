// See interrupts.h.
#include "runtime/carrier/interrupts.h"

#include <errno.h>
#include <pthread.h>

#include "model/interrupts.h"
#include "protocol/time_slice.h"
#include "runtime/calls/waiting.h"
#include "runtime/carrier/threads.h"
#include "runtime/os/real.h"
#include "runtime/schedule/carrier.h"
#include "runtime/schedule/scheduler.h"
#include "runtime/state/stacks.h"
#include "runtime/state/up_calls.h"
#include "runtime/world/signals/deliver.h"
#include "runtime/world/signals/masks.h"

namespace heddle::runtime {
namespace {

using model::Cancellation;
using model::Interrupt;
using model::Interruption;

constexpr std::uint8_t kUnwinding = Cancellation::Followed | Cancellation::Disabled;

bool is_cancelled(const model::Task& task) { return (task.cancellation & kUnwinding) == Cancellation::Followed; }

// As glibc does it: the thread exits by itself, with a value that says why.
[[noreturn]] void unwind() {
  begin_unwinding();
  give_up_wait();
  if (current_data().mask_is_lent) replace_virtual_mask(current_data().lent_mask);
  current_data().mask_is_lent = false;
  current_data().result = PTHREAD_CANCELED;
  prepare_stacks(true);
  prepare_thread_exit();
  real::pthread_exit(PTHREAD_CANCELED);
  __builtin_unreachable();
}

}  // namespace

void begin_unwinding() { model::change_cancellation(*runtime.world, runtime.current, kUnwinding, 0); }

// Kept apart, with its frame: see next_to_go_on() in scheduler.cpp.
namespace {

// The caller asks what its operation was, and what came of it, as if it were the last one.
std::int32_t stop_behind_call() {
  const model::Task& task = runtime.world->task(runtime.current);
  const std::int32_t result = task.result;
  const model::Operation made = task.pending;
  model::Operation stop;
  stop.kind = OperationKind::Yield;
  stop.site = made.site;
  stop.argument = kStoppedBehind;
  perform(stop);
  draft_operation() = made;
  draft_operation().stopped_behind = true;
  return result;
}

}  // namespace

__attribute__((noinline, cold)) std::int32_t after_interruption() {
  const model::Task& task = runtime.world->task(runtime.current);
  for (;;) {
    const Interruption how = model::take_interruption(runtime.world->task(runtime.current));
    if (how == Interruption::None || how == Interruption::Cancelled) break;
    if (how == Interruption::Stopped) return stop_behind_call();
    const model::Operation again = task.pending;  // handlers have operations of their own
    const Handled own = deliver_signals(), held = let_held_signals_in();
    const Handled handled = own != Handled::Nothing ? own : held;
    const bool restarts = handled == Handled::Restarts && (again.interruptible & Interrupt::Restart) != 0;
    if (how == Interruption::Ended && !restarts && handled != Handled::Nothing) return EINTR;
    perform_last(again);
  }
  if (is_cancelled(task)) unwind();
  return task.result;
}

void follow_cancellation() {
  const model::Task& task = runtime.world->task(runtime.current);
  if ((task.interrupts & Interrupt::AsyncCancel) == 0) return;
  unwind();
}

}  // namespace heddle::runtime
