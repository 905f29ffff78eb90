// Random priorities of the operations that tasks are about to make, as partial order sampling draws them (pos.cpp).
#pragma once

#include "model/world.h"

namespace heddle::runtime {

// At the beginning of an execution, behind start_walk(): nobody has a priority yet.
void start_priorities();
// Of the task's pending operation; drawn when it is first asked for.
std::uint32_t priority_of(TaskId task);
// The task takes its step: it, and all whose operations name one of its objects, draw anew.
void redraw_priorities(const model::World& world, TaskId task);

}  // namespace heddle::runtime
