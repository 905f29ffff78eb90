// Makes a call of the program's. On a snapshot pages that were not written to yet are protected, and the kernel would
// refuse to write there: they become dirty first.
#pragma once

#include "runtime/state/program_call.h"

namespace heddle::runtime {

// Returns what the kernel returns.
long call_kernel(const SystemCall& call);

}  // namespace heddle::runtime
