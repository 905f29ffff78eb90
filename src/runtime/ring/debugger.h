// Where a replay in a debugger stops (protocol/debugger.h): before a step, and at the end.
#pragma once

#include "runtime/state/runtime.h"

namespace heddle::runtime {

// Before the next step, which is this task's: stops if the debugger wants it.
[[gnu::noinline, gnu::cold]] void stop_before_step(TaskId task);
// Nothing goes on, or the program ends: stops in any case.
void stop_at_end();

}  // namespace heddle::runtime
