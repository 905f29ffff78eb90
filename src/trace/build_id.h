// What tells one build of a program from another.
#pragma once

#include <string>

namespace heddle {

// The build id the linker wrote into the file, as lower-case hex; "content-…", a hash of the whole file, where the
// linker wrote none; empty when the file can't be read.
std::string build_id_of(const std::string& path);

}  // namespace heddle
