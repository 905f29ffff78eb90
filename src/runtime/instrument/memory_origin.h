// Where memory comes from, for reports of races: which block of the heap, allocated where and by whom, or whose stack.
// Blocks are noted in processes that run one schedule to be looked at (Config::note_blocks): with their call stacks,
// that takes a microsecond each.
#pragma once

#include <cstddef>
#include <cstdint>

#include "protocol/operations.h"

namespace heddle::runtime {

// Not 0: blocks are noted.
extern bool notes_blocks;

// From now on, if it is wanted.
void begin_noting_blocks();
void note_block(const void* memory, std::size_t bytes);
// Says where the memory at `address` comes from, in a message of kind MemoryOrigin; if that is known. `task` accesses
// it at `site`.
void record_memory_origin(std::uint64_t address, TaskId task, Site site);

}  // namespace heddle::runtime
