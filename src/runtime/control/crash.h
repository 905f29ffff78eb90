// Fatal signals inside an execution: records where they struck before the process dies.
#pragma once

namespace heddle::runtime {

// For every fatal signal that the program leaves at its default. The program's own handlers go before.
void install_crash_handlers();
}  // namespace heddle::runtime
