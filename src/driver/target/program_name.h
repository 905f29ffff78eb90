// What a run is called after, in folders and reports.
#pragma once

#include <string>
#include <vector>

namespace heddle {

// The file name of the program, which is the first word. Of an interpreter (`python3 -X dev TEST`), that of
// the first file that it is given; of `python3 -m unittest`, the module. `command` has at least one word.
std::string program_name(const std::vector<std::string>& command);

}  // namespace heddle
