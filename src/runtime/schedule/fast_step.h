// There are two ways to take a step. Both lead to the same state of the model, the same record and the same calls of
// the monitors and the policy.
//
// The slow way (scheduler.cpp, take_step()) is for every step: the operation is published, the model decides, plan and
// policy choose, the chosen task's operation takes effect.
// The fast way, here, is for the commonest step: the task that ran last goes on by default, nothing is planned for this
// step, and the operation takes effect and does nothing else. Most executions consist of such steps. Nothing is
// published or decided, and the record is written from constants. Without it a lock costs twice as much.
//
// What both must preserve: tests/unit/model/short_cut_test.cpp compares the fast way with the model's cycle, operation
// by operation. To give an operation a function of its own here, write beside its model what must be true of its
// object.
#pragma once

#include "model/world.h"

namespace heddle::runtime {

// The operation that `self` has drafted. GoesOn: it has taken effect, and the call is not complete. No: nothing has
// been done, it is to go the slow way (which also ends the execution at a misuse). As with next_to_go_on(), nothing of
// this may be left on the stack of a task that waits.
enum class FastStep : std::uint8_t { No, Complete, GoesOn };
FastStep step_fast(TaskId self);

// For the commonest operations, which are not even drafted.
// True: it has been done, and the call returns 0. False: nothing has been done.
bool lock_mutex_at_once(ObjectId mutex, Site site);
bool unlock_mutex_at_once(ObjectId mutex, Site site);
// ThreadCreate, of no object, and ThreadCreated.
bool create_thread_at_once(OperationKind kind, ObjectId thread, Site site);
// Of the piece of memory `object` alone; `upper_marks`: as in Operation::offset.
bool access_memory_at_once(OperationKind kind, ObjectId object, std::uint8_t upper_marks, Site site,
                           model::MemoryAccess& access);

}  // namespace heddle::runtime
