// The schedule follows from what the tasks are about to do. These functions bring it up to date when something has
// changed.
#pragma once

#include "model/world.h"

namespace heddle::model {

void reevaluate(World& world, Task& task, TaskId id);
// Every task whose pending operation names `object`.
void reevaluate_pending(World& world, const Object& object);
void reevaluate_timed(World& world);  // those with a deadline
void reevaluate_all(World& world);

// Is everything up to date that depends on the enabled set as a whole: who is held back, and whether only timeouts can
// go on? If not, settle() is needed before a decision.
inline bool is_settled(const Schedule& schedule) { return schedule.is_calm() && !schedule.nothing_enabled(); }
void settle(World& world);

}  // namespace heddle::model
