// The history of the heap's blocks, to explain a race or a misuse: where each was allocated and freed, and by whom. It
// is kept in processes that replay one schedule (Config::note_blocks). An event with its call stack takes a
// microsecond. A replay must not run into --execution-timeout where the search did not, so only the first half million
// events have a call stack.
#pragma once

#include <cstddef>
#include <cstdint>

#include "protocol/operations.h"

namespace heddle::runtime {

// A block was given out, or given back.
struct BlockEvent {
  static constexpr unsigned kDepth = 12;
  std::uint64_t begin;
  std::uint64_t bytes;  // as asked for; 0 where it was given back
  std::uint32_t steps;  // came before it
  TaskId task;          // kNoTask: a thread that we do not schedule
  bool freed;
  std::uint8_t depth;  // of its call stack
  std::uint32_t stack;
};

struct ExecutionHistory {
  bool notes_blocks = false;  // it is kept
};
extern ExecutionHistory execution_history;

// From now on; call stacks, from when on prepare_stacks() has found an unwinder.
void begin_noting_blocks();
void note_block(const void* memory, std::size_t bytes);
void note_free(const void* memory);
// The latest block that held the address; null when none is known.
const BlockEvent* latest_block(std::uint64_t address);
// The latest of what is known of the block that begins there is that it was freed.
bool is_noted_as_freed(const void* memory);
// Its call stack, `depth` sites, innermost first.
const Site* stack_of(const BlockEvent& event);
// Says in a message of kind HeapFault which memory was misused, and what became of it before, as far as that is known.
// `is_overrun`: a block in use was written past its end; how far is told, too.
void record_heap_fault(const void* memory, bool is_overrun = false);

}  // namespace heddle::runtime
