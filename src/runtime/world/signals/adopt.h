// Signals that are pending in the kernel when the model takes over: the program had blocked them, and they came before.
#pragma once

namespace heddle::runtime {

// Takes them from the kernel and queues them as what they are: the running thread's, or the process's.
void adopt_pending_signals();

}  // namespace heddle::runtime
