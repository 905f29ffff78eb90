// Queues of tasks that wait; see TaskQueue.
#include "model/world.h"

namespace heddle::model {

void World::push(TaskQueue& queue, TaskId id) {
  Task& task = tasks_[id];
  task.queue_next = kNoTask;
  task.queue_previous = queue.last;
  (queue.last == kNoTask ? queue.first : tasks_[queue.last].queue_next) = id;
  queue.last = id;
  ++queue.count;
}

void World::remove(TaskQueue& queue, TaskId id) {
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

}  // namespace heddle::model
