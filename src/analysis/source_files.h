// Which source files a program was made of, as its debug information says.
#pragma once

#include <string>
#include <vector>

namespace heddle {

// The user's own, by their absolute paths, each once; at most `most`. Whether they are there is not looked at. Empty:
// the file has no debug information in it.
std::vector<std::string> source_files(const std::string& program, std::size_t most);

}  // namespace heddle
