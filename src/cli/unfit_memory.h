// What stands against --memory, for a run and for a farm.
#pragma once

#include <string>

#include "driver/target/options.h"
#include "driver/target/target.h"

namespace heddle::cli {

// By other options. Empty: nothing does.
std::string unfit_for_memory(const RunOptions& options);
// By the way in which the program was built, with --patch=yes. Empty: nothing does.
std::string unfit_for_build(const Target& target, const RunOptions& options);

}  // namespace heddle::cli
