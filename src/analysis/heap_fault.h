// What the runtime has recorded of a misuse of the heap (MessageKind::HeapFault): of a double free, where the block was
// freed before, and by whom; of a block that was written past its end, how far.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "trace/execution.h"

namespace heddle {

// A block was given out, or given back.
struct BlockEvent {
  std::uint64_t begin = 0;
  std::uint64_t bytes = 0;  // as the program asked for; 0 where it was given back
  bool freed = false;
  TaskId task = 0;
  std::uint32_t steps = 0;  // came before it
  std::vector<Site> stack;  // innermost first; may be empty
};

struct HeapFault {
  std::uint64_t address = 0;        // that was to be freed, or whose size was to be changed
  std::vector<BlockEvent> events;   // of the block that begins there, or that held the address; the latest first
  std::uint64_t overrun_bytes = 0;  // that were written to behind its end, at least; 0: the misuse is another one
};

// Nothing where the heap was not misused. What became of the block before is known in replays only.
std::optional<HeapFault> heap_fault(const Execution& execution);

}  // namespace heddle
