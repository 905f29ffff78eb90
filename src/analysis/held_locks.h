// Which locks a thread holds at a moment of an execution.
#pragma once

#include <cstdint>
#include <vector>

#include "trace/execution.h"

namespace heddle {

// What the thread holds after so many steps, in the order in which it took it.
std::vector<ObjectId> held_locks(const Execution& execution, TaskId task, std::uint32_t steps);

}  // namespace heddle
