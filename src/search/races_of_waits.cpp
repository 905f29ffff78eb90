// The part of races.h that is about waits: whether their object would be open if they came earlier, and whether their
// deadline could end them.
#include <algorithm>

#include "search/races.h"
#include "search/wait_steps.h"

namespace heddle {

// Could the second have had its object just before this step? The marks of the next step that accessed it say so.
bool Races::was_open(const Second& second, std::uint32_t step) const {
  const auto& list = accessed_[second.access.object];
  const auto next = std::lower_bound(list.begin(), list.end(), step);
  const std::uint32_t at = next == list.end() ? second.step : *next;
  if (at >= events_.size()) return true;  // nothing is known
  const StepRecord& made = execution_->steps[at];
  // Of a condition wait, they are those of the mutex.
  const ObjectId marked = made.operation == OperationKind::ConditionWait ? made.object2 : made.object;
  return marked != second.access.object || (made.marks & mark_needed(second.kind)) != 0;
}

// Of a wait that ended by its deadline, since its object was closed then: would it have been open without `step` and
// what happens after that? These must have taken of it, and of what others took of a lock nothing may be left. (Of a
// semaphore one unit is enough, and how many it had at first is not known. was_open() would not do: what the task
// itself has taken before comes first in any order.)
bool Races::could_have_had_its_object(const Second& second, std::uint32_t step) const {
  if (!waits_until_open(second.kind)) return false;
  const ObjectId object = second.access.object;
  const auto& list = accessed_[object];
  const auto end = std::lower_bound(list.begin(), list.end(), second.step);
  int taken = 0;
  for (auto at = std::lower_bound(list.begin(), end, step); at != end; ++at)
    if (*at == step || ordered(step, *at)) taken += units_taken(*at, object).of(second.kind);
  if (taken <= 0) return false;
  const int left = units_[object][static_cast<std::size_t>(end - list.begin()) - 1].of(second.kind) - taken;
  return left <= 0 || second.kind == OperationKind::SemaphoreWait;
}

// What a step took of an object; negative: gave back.
Races::Units Races::units_taken(std::uint32_t step, ObjectId object) const {
  const StepRecord& made = execution_->steps[step];
  const int units = changes(made) && !ended_by_deadline(made) ? units_taken_by(made, object) : 0;
  return {units, units != 0 && object_kind(made.operation) == ObjectKind::RwLock && is_for_writing(step) ? units : 0};
}

// To be called for each step on the object in turn, before accessed_ has it.
void Races::count_units(std::uint32_t step, ObjectId object) {
  auto& list = units_[object];
  const Units before = list.empty() ? Units() : list.back();
  const Units taken = units_taken(step, object);
  list.push_back({before.all + taken.all, before.for_writing + taken.for_writing});
}

// A step on a reader-writer lock: does it take or give back the whole of it?
bool Races::is_for_writing(std::uint32_t step) const {
  const StepRecord* made = &execution_->steps[step];
  const TaskId task = made->task;
  const auto& list = accessed_[made->object];
  // What is given back is what the task took last.
  for (auto at = std::lower_bound(list.begin(), list.end(), step);
       made->operation == OperationKind::RwUnlock && at-- != list.begin();) {
    const StepRecord& before = execution_->steps[*at];
    if (before.task == task && changes(before) && units_taken_by(before, before.object) > 0) made = &before;
  }
  return made->operation == OperationKind::WriteLock || made->operation == OperationKind::TryWriteLock;
}

bool Races::could_time_out(const Second& second, std::uint32_t step) const {
  if (second.kind == OperationKind::MutexReacquire) return false;  // its wait could: look_at_wake()
  if (second.event.choice.variant == kTimeout || second.step == events_.size()) return false;
  const bool was_pending = second.behind == kNone || second.behind < step;
  if (!was_pending || !second.timed) return second.timed;
  // Enabled: it could not have come first for all that, since its time was over and its object closed.
  return (state_at(second.task, step) & (TaskState::Timeout | TaskState::Enabled)) != 0;
}

// Is it a step of a wait that, taken earlier, could have ended by its deadline?
bool Races::could_end_otherwise(std::uint32_t step) const {
  const StepRecord& made = execution_->steps[step];
  if (made.operation == OperationKind::MutexReacquire) return woken_by_[step] != kNone;
  return (made.marks & StepMarks::Timed) != 0 && !ended_by_deadline(made);
}

// What a wait accesses that ends by its deadline.
Access Races::access_if_timed_out(const Second& second) {
  Access access =
      access_of(second.kind, kTimeout, second.access.object, second.access.second, !waits_until_open(second.kind));
  access.everything = access.everything || second.access.everything;
  return access;
}

bool Races::depends_if_timed_out(const Second& second, std::uint32_t step) const {
  return dependent(accesses_[step], access_if_timed_out(second));
}

void Races::add_timeout(const Second& second, std::uint32_t step) {
  Event event = second.event;
  event.choice.variant = kTimeout;
  event.access = named(access_if_timed_out(second));
  races_.push_back({step, event});
}

// Of a wait that ended by its deadline: before the first step its object may be open.
void Races::take_as_it_would_end(const Second& second, Race& race) const {
  if (!could_have_had_its_object(second, race.first)) return;
  race.second.choice.variant = 0;
  race.second.access = named(access_of(second.kind, 0, second.access.object, second.access.second, true));
}

// A signalled wait could have ended by its deadline before the signal.
void Races::look_at_wake(const Second& second) {
  const std::uint32_t signal = second.signal;
  if (signal == kNone) return;
  const std::uint8_t state = state_at(second.task, signal);
  if ((state & (TaskState::Timeout | TaskState::Enabled)) == 0) return;
  const Access access = access_of(OperationKind::ConditionWake, kTimeout, second.condition, kNoObject, true);
  races_.push_back({signal, {{second.task, kTimeout}, named(access)}});
}

}  // namespace heddle
