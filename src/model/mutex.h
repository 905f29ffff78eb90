// What other parts need of mutexes. A condition wait releases one. A thread's end leaves robust ones behind.
// pthread_mutex_consistent() is not a scheduling point, since only the owner can call it.
#pragma once

#include "model/world.h"

namespace heddle::model {

// Can a task lock it, or unlock it, at once (fast_step.h), with nothing else to it than who holds it?
inline bool locks_at_once(const Object& mutex) {
  return mutex.mutex.owner == kNoTask && !mutex.mutex.robust && !mutex.is_gone();
}
inline bool unlocks_at_once(const Object& mutex, TaskId id) {
  return mutex.mutex.owner == id && mutex.mutex.depth == 1 && !mutex.mutex.robust && !mutex.is_gone();
}
inline void lock_at_once(MutexState& mutex, TaskId id, Site site) {
  mutex.owner = id;
  mutex.depth = 1;
  mutex.taken_at = site;
}
inline void unlock_at_once(MutexState& mutex) {
  mutex.owner = kNoTask;
  mutex.depth = 0;
  mutex.taken_at = 0;
}

// Unlocks once, with pthread_mutex_unlock's errors. A recursive mutex that is locked more than once stays held.
Effect unlock_mutex(World& world, TaskId id, ObjectId mutex);

// The thread of `id` ends: robust mutexes that it holds are free, and their next owners get EOWNERDEAD.
void abandon_robust_mutexes(World& world, TaskId id);

// pthread_mutex_consistent: 0, or EINVAL (not robust, or nothing to repair) or EPERM (the caller does not hold it).
int mutex_consistent(World& world, TaskId id, ObjectId mutex);

}  // namespace heddle::model
