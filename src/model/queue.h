// Queues of tasks that wait; see TaskQueue in object.h.
#pragma once

#include "model/population.h"

namespace heddle::model {

void push(Population& population, TaskQueue& queue, TaskId id);
void remove(Population& population, TaskQueue& queue, TaskId id);
TaskId nth(const Population& population, const TaskQueue& queue, std::uint32_t index);  // kNoTask: there are fewer

}  // namespace heddle::model
