// Fatal signals inside an execution: says where they struck before the process dies of them.
#pragma once

namespace heddle::runtime {

// For every fatal signal that the program leaves at its default. The program's own handlers go before.
void install_crash_handlers();
}  // namespace heddle::runtime
