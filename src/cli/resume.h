// For `run --resume`: where a search is kept, and what must be the same to go on with it.
#pragma once

#include <string>

#include "cli/settings.h"
#include "driver/explore/saved_search.h"
#include "driver/target/target.h"

namespace heddle::cli {

// heddle-out/PROGRAM.state, or DIR.state with -o DIR.
std::string state_path(const Settings& settings, const Target& target);
SearchIdentity search_identity(const Settings& settings, const Target& target);

}  // namespace heddle::cli
