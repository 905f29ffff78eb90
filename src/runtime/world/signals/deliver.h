// Signals between the program's own threads: sent by steps, taken at steps. The kernel takes no part: each task has a
// mask of its own here, whatever kernel thread it runs on. Signals from outside, and those of faults, still come from
// the kernel.
#pragma once

#include <signal.h>

#include "runtime/state/runtime.h"
#include "runtime/state/up_calls.h"

namespace heddle::runtime {

// Sends a signal to a task, or to the process (kNoTask): a step. 0 or an errno value. If the sender itself is to handle
// it, it has.
int send_signal(TaskId target, const siginfo_t& info, Site site);

// Runs the handlers that are due for the running task, the last one first, as the kernel does. What the action of the
// first one says of the call that was interrupted.
Handled deliver_signals();

}  // namespace heddle::runtime
