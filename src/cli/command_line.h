// The command line as a whole: it finds the command, parses its options and runs it. An internal error becomes status
// 4.
#pragma once

namespace heddle::cli {

// `arguments` as given to main(). Returns the exit status (exit_status.h).
int run_command_line(int argument_count, const char* const* arguments);

}  // namespace heddle::cli
