// Where the kernel writes to memory for a system call. In pages that a snapshot protects, the call would fail or lose
// its result.
#pragma once

#include "runtime/state/program_call.h"

namespace heddle::runtime {

// Of the calls that are known. Others are made once more when they have failed.
void before_kernel_answers(const SystemCall& call);

}  // namespace heddle::runtime
