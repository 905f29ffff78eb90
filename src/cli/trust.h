// A trace is a program to run: it names a file, arguments and variables. Before a program runs that this user may not
// have built, the user is asked.
#pragma once

#include <string>
#include <vector>

#include "cli/settings.h"
#include "cli/terminal.h"
#include "trace/trace_file.h"

namespace heddle::cli {

// Why the user should look at what the trace runs; empty: it is a program of the user's own, as it was.
std::vector<std::string> doubts_about(const Trace& trace, const std::string& path);

// False: it must not run, and the reason has been said. Asks on the terminal if there is one; --yes answers.
bool may_run(const Trace& trace, const std::string& path, const Settings& settings, Terminal& terminal);

}  // namespace heddle::cli
