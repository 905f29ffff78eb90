// Futexes that are locks (FUTEX_LOCK_PI, FUTEX_TRYLOCK_PI, FUTEX_UNLOCK_PI): the word holds the owner's thread id.
// Operation::expected is the caller's id; `word` is the program's word.
#pragma once

#include "model/world.h"

namespace heddle::model {

Effect lock_futex(World& world, TaskId id, FutexState& futex);
Effect locked_futex(World& world, TaskId id, FutexState& futex);
Effect try_lock_futex(World& world, TaskId id, FutexState& futex);
Effect unlock_futex(World& world, TaskId id, FutexState& futex);

// The thread of `id` ends: locks of its that others wait for are handed over, with the bit of a dead owner.
void hand_over_futexes(World& world, TaskId id);

// Takes `waiter` out of the queue: its wait is over.
void release_waiter(World& world, FutexState& futex, TaskId waiter);

}  // namespace heddle::model
