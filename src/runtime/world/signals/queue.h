// What pending signals carry. The model has a bit for each signal; here are their siginfo_t, in the order in which they
// came. Standard signals merge, real-time signals queue, as in the kernel.
#pragma once

#include <signal.h>

#include "protocol/operations.h"

namespace heddle::runtime {

// For a task, or for the process (kNoTask). False: there are too many already (EAGAIN).
// `to_process`: the task is only the one that was chosen to take it.
bool enqueue_signal(TaskId owner, int signal, const siginfo_t& info, bool to_process);
// The oldest of them; the model's bit goes with the last.
siginfo_t take_signal(TaskId owner, int signal);
// All of one number, wherever they wait: it is ignored from now on.
void drop_signals(int signal);

}  // namespace heddle::runtime
