// Fatal signals inside an execution: says where they struck before the process dies of them.
#pragma once

#include <signal.h>

#include <cstdint>

namespace heddle::runtime {

// For every fatal signal that the program leaves at its default. The program's own handlers go before.
void install_crash_handlers();
// For a kernel thread of its own (thread carrier): without an alternate stack an overflow could not be told. Made by
// who creates the thread, since address space is reserved by one at a time; used by the thread itself.
void* make_signal_stack();
void use_signal_stack(void* stack);
// The one kernel thread of the fiber carrier has it again (world/signals/alternate_stack.h).
void give_alternate_signal_stack();

// What the handlers do: the process dies of the signal when the handler that calls this returns.
void handle_fatal_signal(int signal, siginfo_t* info, void* context);
// The running task takes a signal of the program's own whose action ends the process. Does not return.
[[noreturn]] void die_of_signal(int signal, const siginfo_t& info, std::uint64_t site);
// As the kernel ends a process whose handler it can't call: nothing is said of the place.
[[noreturn]] void die_unheard(int signal);
// Before the kernel ends the process by a signal. No core file is left, whatever the program has asked for: each
// schedule that crashes would leave one, of all that Heddle has reserved.
void leave_no_core();
// The program has called abort(), which returns to `site`: all that is known of the place where no unwinder is loaded.
void note_abort(std::uint64_t site);
bool has_aborted();
bool is_crash_handler(const void* handler);
// Is what is known of a crash being said right now?
bool reports_crash();

}  // namespace heddle::runtime
