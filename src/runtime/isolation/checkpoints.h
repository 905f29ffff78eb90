// When checkpoints pay. The plans that wait in the ring say which prefixes of the present execution will be wanted
// again, and how soon. A checkpoint is taken at a step where the present plan and a later one part, if reaching that
// step again would take longer than taking the checkpoint and going back to it.
#pragma once

#include <cstdint>

namespace heddle::runtime {

// The next step at which a checkpoint is to be considered; none: the greatest number.
extern std::uint32_t next_checkpoint_step;

// At the beginning of an execution (also one that goes on from a checkpoint): looks at the plans that wait.
void plan_checkpoints();
// At the decision of step next_checkpoint_step, before anything of it is recorded.
void consider_checkpoint();

}  // namespace heddle::runtime
