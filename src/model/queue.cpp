// Queues of tasks that wait; see TaskQueue.
#include "model/world.h"
#include "protocol/assert.h"

namespace heddle::model {

void World::push(TaskQueue& queue, TaskId id) {
  Task& task = tasks_[id];
  HEDDLE_ASSERT(task.queue_next == kNoTask && task.queue_previous == kNoTask && queue.first != id,
                "a task is in at most one queue");
  task.queue_next = kNoTask;
  task.queue_previous = queue.last;
  (queue.last == kNoTask ? queue.first : tasks_[queue.last].queue_next) = id;
  queue.last = id;
  ++queue.count;
}

void World::remove(TaskQueue& queue, TaskId id) {
  HEDDLE_ASSERT(queue.count != 0, "who is taken out of a queue is in it");
  Task& task = tasks_[id];
  (task.queue_previous == kNoTask ? queue.first : tasks_[task.queue_previous].queue_next) = task.queue_next;
  (task.queue_next == kNoTask ? queue.last : tasks_[task.queue_next].queue_previous) = task.queue_previous;
  task.queue_next = task.queue_previous = kNoTask;
  --queue.count;
}

TaskId World::nth(const TaskQueue& queue, std::uint32_t index) const {
  TaskId id = queue.first;
  for (; index != 0 && id != kNoTask; --index) id = tasks_[id].queue_next;
  return id;
}

void World::link_pending(Task& task, TaskId id) {
  if (task.pending.object == kNoObject) return;
  TaskId& first = objects_[task.pending.object].pending_first;
  task.pending_previous = kNoTask;
  task.pending_next = first;
  if (first != kNoTask) tasks_[first].pending_previous = id;
  first = id;
}

void World::unlink_pending(Task& task) {
  if (task.pending.object == kNoObject) return;
  TaskId& first = objects_[task.pending.object].pending_first;
  (task.pending_previous == kNoTask ? first : tasks_[task.pending_previous].pending_next) = task.pending_next;
  if (task.pending_next != kNoTask) tasks_[task.pending_next].pending_previous = task.pending_previous;
  task.pending_next = task.pending_previous = kNoTask;
}

// Those that are pending on the object of a step of `id`.
[[gnu::noinline]] void World::reevaluate_others(TaskId id, const Object& object) {
  stepping_ = id;
  reevaluate_pending(object);
  stepping_ = kNoTask;
}

void World::link_timed(TaskId id) {
  Task& task = tasks_[id];
  HEDDLE_ASSERT(!task.timed, "a task waits for one deadline at a time");
  task.timed = true;
  task.timed_previous = kNoTask;
  task.timed_next = timed_first_;
  if (timed_first_ != kNoTask) tasks_[timed_first_].timed_previous = id;
  timed_first_ = id;
}

void World::unlink_timed(TaskId id) {
  Task& task = tasks_[id];
  if (!task.timed) return;
  task.timed = false;
  (task.timed_previous == kNoTask ? timed_first_ : tasks_[task.timed_previous].timed_next) = task.timed_next;
  if (task.timed_next != kNoTask) tasks_[task.timed_next].timed_previous = task.timed_previous;
  task.timed_next = task.timed_previous = kNoTask;
}

// The kernel's timers are not late as threads can be: what is to end after one does not end before it. Not so with
// those that expire again and again, behind which nothing that waits long could ever end early.
bool World::behind_timer(const Operation& operation) const {
  if (one_shot_timers_ == 0) return false;
  for (TaskId id = timed_first_; id != kNoTask; id = tasks_[id].timed_next)
    if (tasks_[id].pending.one_shot && tasks_[id].pending.deadline < operation.deadline) return true;
  return false;
}

// Before its time, which others may be ahead of.
bool World::may_time_out(const Operation& operation) const {
  if (operation.deadline == kNoDeadline) return false;
  if (!operation.patient) return (limits_.early_timeouts || only_timeouts_) && !behind_timer(operation);
  if (!operation.one_shot || !only_timeouts_) return false;
  const TaskId first = earliest_timed();
  return first != kNoTask && tasks_[first].pending.deadline == operation.deadline;
}

// Whether they are behind it has changed for others.
void World::count_one_shot(const Operation& operation, int change) {
  if (!operation.one_shot || operation.deadline == kNoDeadline) return;
  one_shot_timers_ += static_cast<std::uint32_t>(change);
  reevaluate_timed();
}

TaskId World::earliest_timed() const {
  TaskId best = kNoTask;
  for (TaskId id = timed_first_; id != kNoTask; id = tasks_[id].timed_next) {
    if (tasks_[id].pending.patient) continue;
    if (best == kNoTask) best = id;
    const Nanoseconds deadline = tasks_[id].pending.deadline, least = tasks_[best].pending.deadline;
    if (deadline < least || (deadline == least && id < best)) best = id;
  }
  if (best == kNoTask) return best;
  for (TaskId id = timed_first_; id != kNoTask; id = tasks_[id].timed_next)
    if (tasks_[id].pending.one_shot && tasks_[id].pending.deadline < tasks_[best].pending.deadline) best = id;
  return best;
}

}  // namespace heddle::model
