// System calls that would take from the runtime what it stands on, so that nothing could be said any more of what the
// program does. The execution ends before them, without a verdict.
#pragma once

#include "runtime/state/program_call.h"

namespace heddle::runtime {

// Returns only if the call may be made. For calls of tasks, in an execution.
void refuse_blinding_call(const SystemCall& call);

}  // namespace heddle::runtime
