// What was rebuilt since a trace was made: the program, or libraries that it loads.
#pragma once

#include <string>
#include <vector>

#include "trace/trace_file.h"

namespace heddle::cli {

// Their paths, the program's first. What is not there any more, or was not, is not among them, nor is Heddle's own
// library.
std::vector<std::string> rebuilt_files(const Trace& trace);
// "the program was rebuilt", "the program and libqueue.so were rebuilt".
std::string were_rebuilt(const Trace& trace, const std::vector<std::string>& paths);

}  // namespace heddle::cli
