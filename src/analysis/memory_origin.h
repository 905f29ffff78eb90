// Where the memory of a race or of an object lies, as the runtime has recorded it (MessageKind::MemoryOrigin): in a
// block of the heap, or on a thread's stack.
#pragma once

#include <optional>
#include <vector>

#include "trace/execution.h"

namespace heddle {

// A function's frame on a stack.
struct StackFrame {
  Site site = 0;                    // where the function is
  std::uint64_t stack_pointer = 0;  // where the frame ends
  std::uint64_t frame_pointer = 0;
  std::uint64_t begin = 0;  // where the stack pointer was at its call: the DWARF's canonical frame address
};

struct MemoryOrigin {
  bool is_block = false;  // else a stack
  TaskId task = 0;        // who allocated it; whose stack it is
  std::uint64_t begin = 0;
  std::uint64_t size = 0;
  std::vector<Site> stack;  // of the allocation, innermost first; may be empty
  // On a stack, of a function that has not returned: the frame that the address lies in, and behind it the one of what
  // that function has called, whose parameters may lie there. May be empty.
  std::vector<StackFrame> frames;
};

// Of an object, as of its first use; the same.
std::optional<MemoryOrigin> memory_origin(const Execution& execution, ObjectId object);

// Of what the later access of a race has accessed. Nothing where it is not known.
std::optional<MemoryOrigin> memory_origin(const Execution& execution, const RaceRecord& later);

}  // namespace heddle
