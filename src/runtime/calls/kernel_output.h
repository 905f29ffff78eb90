// Where the kernel writes to memory for a system call: pages that a snapshot protects would make the call fail, or lose
// what it was to bring.
#pragma once

#include "runtime/state/program_call.h"

namespace heddle::runtime {

// Of the calls that are known. Others are made once more when they have failed.
void before_kernel_answers(const SystemCall& call);

}  // namespace heddle::runtime
