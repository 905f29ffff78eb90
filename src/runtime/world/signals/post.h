// Delivers a signal that the program itself has sent: it becomes pending at its receiver, or its default action happens
// where nobody takes it.
#pragma once

#include <signal.h>

#include "runtime/state/runtime.h"

namespace heddle::runtime {

// What such a signal carries.
siginfo_t own_signal(int signal, int code, sigval value = {});
// For who has made the step itself (a timer that expires): the signal has been sent. 0 or EAGAIN.
// `to_process`: `owner` is only who was chosen to take it.
int post_signal(TaskId owner, const siginfo_t& info, Site site = 0, bool to_process = false);
// What is to be done when a SignalSend has taken effect with this result.
int post_sent_signal(std::int32_t result, const siginfo_t& info, bool to_process, Site site = 0);

}  // namespace heddle::runtime
