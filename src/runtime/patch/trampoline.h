// How a system call that Syscall User Dispatch has caught goes on outside the signal handler: the handler changes the
// saved registers, and the task continues here, on its own stack, where tasks can be switched.
#pragma once

#include <sys/ucontext.h>

namespace heddle::runtime {

// Once, before calls are caught: asks the processor how its vector registers are saved.
void prepare_trampoline();
// The task goes on in perform_system_call(), and then behind its `syscall` instruction, with all registers but those
// that the instruction itself changes (rax, rcx, r11) as they were.
void send_to_operation(greg_t* registers);
// The task makes the call itself, from code of ours, which is not caught: for calls that create processes, where parent
// and child both go on behind the instruction.
void send_to_uncaught_call(greg_t* registers);

}  // namespace heddle::runtime
