// Faults for which the program has a handler, under snapshot isolation. The kernel brings them to the runtime's
// handler, on the runtime's stack; the program's own runs where it runs natively: on the stack of the task, which
// others may interrupt, and which is put back with all else.
#pragma once

#include <signal.h>

#include <cstdint>

#include "runtime/os/signal_action.h"

namespace heddle::runtime {

// What ends a process by itself, if no handler takes it.
inline constexpr int kFaultSignals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP};

// The fault in whose handler we are goes to the program's: it begins when ours returns, with a frame as the kernel
// builds it. False: it can't (its stack is full, or the task is in the handler of such a fault already): the kernel
// would end the process.
bool give_fault_to_program(int signal, const os::SignalAction& action, const siginfo_t* info, void* context);
// A handler of the program's returns, of a fault or another signal; `stack_pointer`: at that system call.
[[noreturn]] void return_from_handler(std::uint64_t stack_pointer);
// The running task lets these signals come (again): as siglongjmp() out of a handler does.
void open_faults_of_task(std::uint64_t signals);

}  // namespace heddle::runtime
