// Signals between the program's own threads: sent by steps, taken at steps. The kernel has no part in it: each task has
// a mask of its own here, whatever kernel thread it runs on. Signals from outside, and those of faults, still come from
// the kernel.
#pragma once

#include <signal.h>

#include "runtime/os/signal_action.h"
#include "runtime/state/runtime.h"

namespace heddle::runtime {

// Are masks and signals the model's? From the first thread creation or the branching point on.
bool signals_are_virtual();
void make_signals_virtual();
// A process that the program forked: its one task has the kernel's mask and signals again.
void make_signals_real();

// What a signal of the program's own sender carries.
siginfo_t own_signal(int signal, int code, sigval value = {});
// Sends a signal to a task, or to the process (kNoTask): a step. 0 or an errno value. If the sender itself is to handle
// it, it has.
int send_signal(TaskId target, const siginfo_t& info, Site site);
// For who has made the step itself (a timer that expires): the signal has been sent. 0 or EAGAIN.
// `to_process`: `owner` is only who was chosen to take it.
int post_signal(TaskId owner, const siginfo_t& info, Site site = 0, bool to_process = false);

// What is to be done when a SignalSend has taken effect with this result.
int post_sent_signal(std::int32_t result, const siginfo_t& info, bool to_process, Site site = 0);

// Runs the handlers that are due for the running task, the last one first, as the kernel does. What the action of the
// first one says of the call that was interrupted.
enum class Handled : std::uint8_t { Nothing, Restarts, Ends };
Handled deliver_signals();

// The running task's mask.
std::uint64_t signal_mask();
// A step, after which what was unblocked is handled.
void change_signal_mask(std::uint64_t mask, Site site);
// Without a step, and what is unblocked is handled at the next: for calls that come from inside libc.
void replace_virtual_mask(std::uint64_t mask);

// The mask of ppoll() and its kin: in force from the beginning of the wait until it ends, or until a handler that has
// ended it is about to return.
void lend_signal_mask(std::uint64_t mask);
void take_back_signal_mask();

bool ignores(int signal);
bool ends_process(int signal);

}  // namespace heddle::runtime
