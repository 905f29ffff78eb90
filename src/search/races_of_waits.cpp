// The part of races.h that is about waits: whether their object would be open if they came earlier, and what they would
// access then.
#include <algorithm>

#include "search/races.h"
#include "search/wait_steps.h"

namespace heddle {

// Would the second find its object open without `step` and what happens after that? Whatever accesses the object
// behind the first of these that changed it happens after it too, so it would be left as that one found it, which the
// record says; without any such, as the second found it.
bool Races::would_be_open(const Second& second, std::uint32_t step) const {
  const ObjectId object = second.access.object;
  const auto& list = written_[object];
  const auto goes = [&](std::uint32_t other) { return other == step || ordered(step, other); };
  const auto behind = std::lower_bound(list.begin(), list.end(), second.step);
  const auto first = std::find_if(std::lower_bound(list.begin(), behind, step), behind, goes);
  if (first == behind) return second.was_open;
  const StepRecord& made = execution_->steps[*first];
  if (made.object == object) return (made.marks & mark_needed(second.kind)) != 0;
  return made.operation != OperationKind::ConditionWait;  // who waits has the mutex
}

// The second, before `step`.
Event Races::as_it_would_go_on(const Second& second, std::uint32_t step) const {
  Event event = second.event;
  if (waits_for_the_unseen(second.kind)) {
    event.access.wrote = true;  // if it goes on, and not by its deadline
    return event;
  }
  const bool refused = second.access.everything && !second.timed_out;
  if (refused || second.access.object == kNoObject || (!second.timed && !tries(second.kind))) return event;
  if ((waits_until_open(second.kind) || tries(second.kind)) && would_be_open(second, step))
    event.access = named(access_of(second.kind, second.access.object, second.access.second, true));
  else
    event.access = named(access_if_timed_out(second, step));
  return event;
}

// What a wait accesses that ends by its deadline before `step`.
Access Races::access_if_timed_out(const Second& second, std::uint32_t step) const {
  const bool leaves_queue = waits_to_be_released(second.kind);
  const bool was_pending = second.behind == kNone || second.behind < step;
  const bool fires = was_pending && (state_at(second.task, step) & TaskState::Timeout) != 0;
  const Access access = access_of(second.kind, second.access.object, second.access.second, leaves_queue);
  return with_time(access, fires || (second.timed_out && !second.overdue), early_timeouts_);
}

// A signalled wait could have ended by its deadline before the signal.
void Races::look_at_wake(const Second& second) {
  const std::uint32_t signal = second.signal;
  if (signal == kNone) return;
  const std::uint8_t state = state_at(second.task, signal);
  if ((state & (TaskState::Timeout | TaskState::Enabled)) == 0) return;
  const Access access = access_of(OperationKind::ConditionWake, second.condition, kNoObject, true);
  const bool fires = (state & TaskState::Timeout) != 0;
  races_.push_back({signal, second.step, {{second.task, 0}, named(with_time(access, fires, early_timeouts_))}});
}

}  // namespace heddle
