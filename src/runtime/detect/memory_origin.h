// Where memory comes from, for reports of races and the names of objects: which block of the heap, allocated where and
// by whom, or whose stack. Known in processes that keep the history of blocks (heap/block_history.h).
#pragma once

#include <cstdint>

#include "protocol/operations.h"

namespace heddle::runtime {

// Says where the memory at `address` comes from, in a message of kind MemoryOrigin; if that is known. `task` accesses
// it at `site`.
void record_memory_origin(std::uint64_t address, TaskId task, Site site);

// The same of an object that the running task is about to use, unless it was used before in this execution. Where call
// stacks are recorded (Runtime::record_stacks).
void record_object_origin(ObjectId object);

}  // namespace heddle::runtime
