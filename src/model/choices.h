// Which choices there are for the next step, and what they cost.
#pragma once

#include "model/world.h"

namespace heddle::model {

bool allowed(const World& world, Choice choice);  // may it be made now?
// What lets a task go on now that waits with a deadline: a timeout, where that alone does.
Choice going_on(const World& world, TaskId id);
std::uint32_t cost(const World& world, const Decision& decision, Choice choice);  // preemptions: 0 or 1
std::uint16_t variants(const World& world, TaskId id);  // ordinary alternatives of its pending operation

}  // namespace heddle::model
