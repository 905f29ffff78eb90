// When checkpoints pay. The plans that wait in the ring say which prefixes of the present execution will be wanted
// again, and how soon. A checkpoint is taken at a step where the present plan and a later one part, if it would take
// longer to reach that step again than to take the checkpoint and go back to it.
#pragma once

#include <cstdint>

#include "runtime/os/context.h"
#include "runtime/state/runtime.h"

namespace heddle::runtime {

struct ExecutionCheckpoints {
  std::uint32_t next_step;  // at which one is to be considered; none: the greatest number
};
extern ExecutionCheckpoints execution_checkpoints;

// At the beginning of an execution (also one that goes on from a checkpoint): looks at the plans that wait.
void plan_checkpoints();
// The rest of consider_checkpoint().
void consider_checkpoint_here();

// Before each step, before anything of it is done that others could see or that is recorded. What comes of that depends
// on time, so it must leave nothing behind (call_unseen()), and the step must take the same way as without.
[[gnu::always_inline]] inline void consider_checkpoint(const model::World& world) {
  if (__builtin_expect(world.schedule().steps().count() == execution_checkpoints.next_step, 0))
    call_unseen(consider_checkpoint_here);
}

// For a step that could take effect at once: will it be the default's? (The number of the step is read again behind the
// call: a register that keeps it would be saved on the stack of a task that waits, where it counts up.)
[[gnu::always_inline]] inline bool is_undisturbed(const model::World& world) {
  if (__builtin_expect(world.schedule().steps().count() < runtime.undisturbed_until, 1)) return true;
  consider_checkpoint(world);
  return world.schedule().steps().count() < runtime.undisturbed_until;
}

}  // namespace heddle::runtime
