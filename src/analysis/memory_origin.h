// Where the memory of a race lies, as the runtime has recorded it (MessageKind::MemoryOrigin): in a block of the heap,
// or on a thread's stack.
#pragma once

#include <optional>
#include <vector>

#include "trace/execution.h"

namespace heddle {

struct MemoryOrigin {
  bool is_block = false;  // else a stack
  TaskId task = 0;        // who allocated it; whose stack it is
  std::uint64_t begin = 0;
  std::uint64_t size = 0;
  std::vector<Site> stack;  // of the allocation, innermost first; may be empty
};

// Nothing where it is not known.
std::optional<MemoryOrigin> memory_origin(const Execution& execution, std::uint64_t address);

}  // namespace heddle
