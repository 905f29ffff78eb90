// Calls of libraries that synchronize in a way nobody sees: library_calls.def.
#pragma once

#include "runtime/runtime.h"

namespace heddle::runtime {

// Where the program called the library, if `caller` is in Heddle's own code.
Site caller_of_library(Site caller);

}  // namespace heddle::runtime
