// What other parts need of one-time initializations.
#pragma once

#include "model/world.h"

namespace heddle::model {

// Has the task seen that the initializer is done? Then it will see that every time, and in whatever order others go on:
// another look is no step. Of tasks behind the first 64 nothing is remembered: each look of theirs is a step.
bool knows_done(const World& world, ObjectId once, TaskId id);

// Is it done, whoever knows?
bool is_done(const World& world, ObjectId once);

}  // namespace heddle::model
