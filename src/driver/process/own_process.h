// This process, for those that start it again with other words.
#pragma once

#include <string>
#include <vector>

namespace heddle {

// The file that it runs; empty: the system does not say.
std::string own_executable();
// NAME=VALUE each, as they are now.
std::vector<std::string> own_environment();

}  // namespace heddle
