// Nobody can go on but by a timeout. Before one fires, others may let somebody go on: the world outside, children, and
// the other processes of the program, whose times may be earlier.
#include "runtime/calls/waiting.h"
#include "runtime/state/runtime.h"
#include "runtime/state/up_calls.h"
#include "runtime/world/relatives.h"
#include "runtime/world/signals/held_signals.h"
#include "runtime/world/signals/outside.h"

namespace heddle::runtime {
namespace {

bool something_came(bool timeout_is_planned) {
  if (!timeout_is_planned && wait_for_outside()) return true;
  if (wait_for_children()) return true;
  return !timeout_is_planned && wait_for_outside_signals();
}

bool look(bool timeout_is_planned) {
  if (child_is_ready()) return true;
  return !timeout_is_planned && (outside_is_ready() || take_outside_signals());
}

// True: something came before.
bool wait_until_time_may_pass(Nanoseconds until, bool timeout_is_planned) {
  for (Nanoseconds pause = kFirstPauseInRest;; pause_in_rest(pause)) {
    const std::uint32_t question = present_question();
    if (look(timeout_is_planned)) return true;
    looked_in_vain(question);
    if (may_pass_to(until)) return false;
  }
}

}  // namespace

bool wait_for_others(bool timeout_is_planned) {
  if (!has_timed_relatives()) return something_came(timeout_is_planned);
  const Nanoseconds until = runtime.world->clock().earliest_deadline(runtime.world->population());
  hold_signals();
  begin_to_rest(until);
  const bool came = something_came(timeout_is_planned) || wait_until_time_may_pass(until, timeout_is_planned);
  end_rest(came);
  return came;
}

}  // namespace heddle::runtime
