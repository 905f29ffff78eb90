// Faults for which the program has a handler, where system calls are dispatched. The kernel brings them to the
// runtime's handler, on the runtime's stack. The program's handler runs where it runs natively: on the stack of the
// task or on its alternate stack. There it may be interrupted, and these stacks are restored like all other memory.
#pragma once

#include <signal.h>
#include <ucontext.h>

#include <cstdint>

#include "runtime/os/signal_action.h"

namespace heddle::runtime {

// In a process that runs executions, on which the kernel has our alternate stack: from now on they come to us first.
void catch_faults();
// What the program believes to have set. Null: it is no signal of a fault that comes to us first.
os::SignalAction* action_of_fault(int signal);

// The fault in whose handler the running task is, if it is one of this signal: as the handler sees it. Nulls: it is
// not.
struct TakenFault {
  const siginfo_t* info = nullptr;
  const ucontext_t* context = nullptr;
};
TakenFault fault_in_handler(int signal);
// A handler of the program's returns, of a fault or another signal; `stack_pointer`: at that system call.
[[noreturn]] void return_from_handler(std::uint64_t stack_pointer);

}  // namespace heddle::runtime
