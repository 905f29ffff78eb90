// System calls that would break the runtime itself: after them Heddle could no longer follow the program. The execution
// ends before such a call, without a verdict.
#pragma once

#include "runtime/state/program_call.h"

namespace heddle::runtime {

// Returns only if the call may be made. For calls of tasks, in an execution.
void refuse_blinding_call(const SystemCall& call);

}  // namespace heddle::runtime
