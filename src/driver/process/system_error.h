// Why a system call failed, in words for the user.
#pragma once

#include <string>

namespace heddle {

// "WHAT: why", from errno; where a limit is the reason, with the command that shows it.
std::string system_error(const std::string& what);

}  // namespace heddle
