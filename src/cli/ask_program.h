// What a program prints when it is asked something, such as for the list of its tests.
#pragma once

#include <string>
#include <vector>

namespace heddle::cli {

enum class Streams { Output, OutputAndErrors };

// Runs the program at `path` with these words (argv), at most five seconds, and reads up to a megabyte. Empty if it
// can't be started or prints nothing.
std::string ask_program(const std::string& path, const std::vector<std::string>& words, Streams streams);

}  // namespace heddle::cli
