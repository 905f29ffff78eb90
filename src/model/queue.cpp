// See queue.h.
#include "model/queue.h"

#include "protocol/assert.h"

namespace heddle::model {

void push(Population& population, TaskQueue& queue, TaskId id) {
  Task& task = population.task(id);
  HEDDLE_ASSERT(task.queue_next == kNoTask && task.queue_previous == kNoTask && queue.first != id,
                "a task is in at most one queue");
  task.queue_next = kNoTask;
  task.queue_previous = queue.last;
  (queue.last == kNoTask ? queue.first : population.task(queue.last).queue_next) = id;
  queue.last = id;
  ++queue.count;
}

void remove(Population& population, TaskQueue& queue, TaskId id) {
  HEDDLE_ASSERT(queue.count != 0, "who is taken out of a queue is in it");
  Task& task = population.task(id);
  (task.queue_previous == kNoTask ? queue.first : population.task(task.queue_previous).queue_next) = task.queue_next;
  (task.queue_next == kNoTask ? queue.last : population.task(task.queue_next).queue_previous) = task.queue_previous;
  task.queue_next = task.queue_previous = kNoTask;
  --queue.count;
}

TaskId nth(const Population& population, const TaskQueue& queue, std::uint32_t index) {
  TaskId id = queue.first;
  for (; index != 0 && id != kNoTask; --index) id = population.task(id).queue_next;
  return id;
}

}  // namespace heddle::model
