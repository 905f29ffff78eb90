// What wait() says, in words.
#pragma once

#include <string>

namespace heddle {

// "ended with status 3", "was ended by signal 11 (Segmentation fault)"
std::string describe_status(int status);

}  // namespace heddle
