// Stacks larger than the default one. An execution would have to map each of them, and the mapping would have to be
// undone: no checkpoint could be taken after it. So the zygote maps them before the snapshot, where they are memory
// like any other.
//
// Which stacks are needed shows only when an execution asks for one: then its process retires, and the next process has
// them. The size of the n-th stack may depend on the schedule. If it changes again and again, the stacks are mapped in
// each execution after all.
#pragma once

#include <cstddef>
#include <cstdint>

namespace heddle::runtime {

// In the zygote, before it makes a process: maps what the executions so far have wanted.
void prepare_large_stacks();

enum class LargeStack : std::uint8_t {
  Ready,  // it is mapped, and nobody has used it in this execution
  Free,   // nothing is mapped there
};
// About to give out a stack at `low`. On a snapshot this may retire the process, so that the next one has it ready.
LargeStack find_large_stack(std::uintptr_t low, std::size_t size);

}  // namespace heddle::runtime
