// The scheduler: turns decisions of the model into choices (the plan's, then the policy's), lets them take effect,
// records them, and has the carrier switch. See perform() in runtime.h for the interceptors' side.
#pragma once

#include "model/world.h"

namespace heddle::runtime {

// For the end of a task: publishes `operation` and never comes back to the task (under the thread carrier it returns so
// that the kernel thread can end).
void perform_last(const model::Operation& operation);

// Ends the execution here: records what remains to be said, and the process is gone (see isolation.h for who goes on).
[[noreturn]] void end_execution(EndKind kind, const char* message, MessageKind message_kind);

}  // namespace heddle::runtime
