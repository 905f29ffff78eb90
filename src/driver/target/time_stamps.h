// Reads of the processor's time stamp counter (rdtsc) in the program's code and that of its libraries. Heddle can't
// control this instruction. So it looks for it only once a program has not done the same each time.
#pragma once

#include <vector>

#include "protocol/operations.h"
#include "trace/modules.h"

namespace heddle {

// Where they are, as far as the bytes of the code tell; the first few. The C and C++ libraries are left out.
std::vector<Site> time_stamp_reads(const ModuleMap& modules);

}  // namespace heddle
