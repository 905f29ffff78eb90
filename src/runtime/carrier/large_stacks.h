// Stacks larger than the default one. Each would be a mapping that an execution makes, and that has to be undone: no
// checkpoint can be taken behind it. So the zygote maps them before the snapshot, where they are memory like any other.
//
// Which stacks an execution wants is known when it does: then its process retires, and the next one has them. How large
// the n-th is may depend on the schedule; where that changes again and again, they are made in each execution after
// all.
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
