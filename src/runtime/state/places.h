// Names for places in memory that hold in every execution. Partial-order reduction compares steps of different
// executions, in which one object may have different numbers and lie at different addresses.
//
// - Static memory and stacks are named by their address: it is the same in every execution. The n-th task has the n-th
//   stack, and what lies there follows from what the task did.
// - The address of a block of the heap depends on the order of all calls of malloc. So a block is named by the task
//   that allocated it, and by its number among that task's blocks: both follow from what that task did. Whether
//   realloc() moves a block does not follow from that, so after a realloc() a block has no name.
// - Memory of another kind (mapped, of an allocator that the program brought, of a library that came by dlopen) has no
//   name. Parts of blocks that are looked up by address (futexes, atomics) have none either: what was remembered of
//   them outlives the block, and the program may compare pointers to an earlier block with pointers to this one.
#pragma once

#include <cstddef>
#include <cstdint>

#include "protocol/operations.h"

namespace heddle::runtime {

// Once, at the start of the process: what is static from now on.
void note_static_memory();
// Where the stack of the first thread begins.
void note_main_stack(const void* begin);

// Names are wanted from here on, in this execution. Blocks that were allocated before go by their address.
void start_naming_places();
void stop_naming_places();
struct ExecutionPlaces {
  bool are_named = false;
  std::uint32_t block_count = 0;  // that were given out since names are wanted
};
extern ExecutionPlaces execution_places;

// The running task got this block. `reallocated`: by a realloc() that kept or moved an earlier one.
void name_block(const void* memory, std::size_t bytes, bool reallocated);

// ObjectRecord::place of an object of this kind there.
std::uint32_t place_of(ObjectKind kind, std::uint64_t address);

}  // namespace heddle::runtime
