// See clock.h.
#include "model/clock.h"

#include "protocol/assert.h"

namespace heddle::model {

bool Clock::advance(Nanoseconds to) {
  if (to <= now_) return false;
  now_ = to;
  return true;
}

void Clock::add(Population& population, TaskId id) {
  Task& task = population.task(id);
  HEDDLE_ASSERT(!task.timed, "a task waits for one deadline at a time");
  task.timed = true;
  task.timed_previous = kNoTask;
  task.timed_next = first_;
  if (first_ != kNoTask) population.task(first_).timed_previous = id;
  first_ = id;
}

void Clock::remove(Population& population, TaskId id) {
  Task& task = population.task(id);
  if (!task.timed) return;
  task.timed = false;
  (task.timed_previous == kNoTask ? first_ : population.task(task.timed_previous).timed_next) = task.timed_next;
  if (task.timed_next != kNoTask) population.task(task.timed_next).timed_previous = task.timed_previous;
  task.timed_next = task.timed_previous = kNoTask;
}

bool Clock::count_one_shot(const Operation& operation, int change) {
  if (!operation.one_shot || operation.deadline == kNoDeadline) return false;
  one_shot_timers_ += static_cast<std::uint32_t>(change);
  return true;
}

bool Clock::is_behind_timer(const Population& population, const Operation& operation) const {
  if (one_shot_timers_ == 0) return false;
  for (TaskId id = first_; id != kNoTask; id = population.task(id).timed_next) {
    const Operation& other = population.task(id).pending;
    if (other.one_shot && other.deadline < operation.deadline) return true;
  }
  return false;
}

TaskId Clock::earliest(const Population& population) const {
  TaskId best = kNoTask;
  for (TaskId id = first_; id != kNoTask; id = population.task(id).timed_next) {
    if (population.task(id).pending.patient) continue;
    if (best == kNoTask) best = id;
    const Nanoseconds deadline = population.task(id).pending.deadline, least = population.task(best).pending.deadline;
    if (deadline < least || (deadline == least && id < best)) best = id;
  }
  if (best == kNoTask) return best;
  for (TaskId id = first_; id != kNoTask; id = population.task(id).timed_next) {
    const Operation& other = population.task(id).pending;
    if (other.one_shot && other.deadline < population.task(best).pending.deadline) best = id;
  }
  return best;
}

Nanoseconds Clock::earliest_deadline(const Population& population) const {
  const TaskId id = earliest(population);
  return id == kNoTask ? kNoDeadline : population.task(id).pending.deadline;
}

}  // namespace heddle::model
