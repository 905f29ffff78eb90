// What a place in memory is called in every execution that has it. Partial-order reduction compares steps of different
// executions, in which one object may have different numbers and lie elsewhere.
//
// - Static memory and stacks are where they are: the n-th task has the n-th stack, and what it has there follows from
//   what it did. They go by their address.
// - A block of the heap lies where the order of all calls of malloc puts it. It goes by who allocated it, as which of
//   its blocks: that follows from what that task did. Whether realloc() moves a block does not, so such a block has no
//   name from then on.
// - Memory of another kind (mapped, of an allocator that the program brought, of a library that came by dlopen) has no
//   name. Nor have the parts of blocks that are looked up by address (futexes, atomics): what was remembered of them
//   outlives the block, and the program may compare pointers to an earlier one with pointers to this.
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
