// The scheduler: it turns decisions of the model into choices (the plan's, then the policy's), lets them take effect,
// records them, and has the carrier switch. See perform() in runtime.h for the interceptors' side.
#pragma once

#include "model/world.h"

namespace heddle::runtime {

// For the end of a task: publishes `operation` and never comes back to the task (under the thread carrier it returns so
// that the kernel thread can end).
void perform_last(const model::Operation& operation);

}  // namespace heddle::runtime
