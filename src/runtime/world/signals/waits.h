// Waiting for signals, as steps: for libc's functions and for the system calls behind them.
#pragma once

#include <signal.h>
#include <time.h>

#include "runtime/state/runtime.h"

namespace heddle::runtime {

// sigwaitinfo() and its kin: the signal's number, or -errno. `timeout` and `info` may be null.
int wait_for_signal(const sigset_t* set, siginfo_t* info, const timespec* timeout, Site site);
// sigsuspend(): -EINTR, once a handler has run.
int suspend_under_mask(std::uint64_t mask, Site site);

}  // namespace heddle::runtime
