// The shortest way through the scheduler, for the commonest operations: the task that ran last goes on by default,
// nothing is planned for this step, and the operation finds its object so that it can take effect with nothing else to
// it. What perform() would do, with the same record; without an operation, a decision, and the functions of the
// object's kind.
//
// To add an operation: what must be true of its object stands beside its model; tests/unit/model/short_cut_test.cpp
// compares it with the model's cycle.
#pragma once

#include "model/world.h"

namespace heddle::runtime {

// True: it has been done, and the call returns 0. False: nothing has been done.
bool lock_mutex_at_once(ObjectId mutex, Site site);
bool unlock_mutex_at_once(ObjectId mutex, Site site);
// ThreadCreate, of no object, and ThreadCreated.
bool create_thread_at_once(OperationKind kind, ObjectId thread, Site site);
// Of the piece of memory `object` alone; `offset`: where in it.
bool access_memory_at_once(OperationKind kind, ObjectId object, std::uint8_t offset, Site site,
                           model::MemoryAccess& access);

}  // namespace heddle::runtime
