// The command line as a whole: finds the command, parses, runs it, and turns whatever goes wrong inside into status 4.
#pragma once

namespace heddle::cli {

// `arguments` as given to main(). Returns the exit status (exit_status.h).
int run_command_line(int argument_count, const char* const* arguments);

}  // namespace heddle::cli
