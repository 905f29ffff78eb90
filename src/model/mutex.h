// What other parts need of mutexes: a condition wait releases one, a thread's end leaves robust ones behind, and
// pthread_mutex_consistent() is no scheduling point (only the owner can call it).
#pragma once

#include "model/world.h"

namespace heddle::model {

// Unlocks once, with pthread_mutex_unlock's errors. A recursive mutex that is locked more than once stays held.
Effect unlock_mutex(World& world, TaskId id, ObjectId mutex);

// The thread of `id` ends: robust mutexes that it holds are free, and their next owners get EOWNERDEAD.
void abandon_robust_mutexes(World& world, TaskId id);

// pthread_mutex_consistent: 0, or EINVAL (not robust, or nothing to repair) or EPERM (the caller does not hold it).
int mutex_consistent(World& world, TaskId id, ObjectId mutex);

}  // namespace heddle::model
