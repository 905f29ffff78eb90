// The system calls that tell or set the time, answered in virtual time as the kernel would answer them: 0 or more, or
// -errno. They serve libc's functions (intercept/clocks.cpp, time.cpp) and calls made without these.
#pragma once

#include <sys/resource.h>
#include <sys/time.h>
#include <sys/times.h>
#include <sys/timex.h>
#include <time.h>

#include "runtime/state/program_call.h"

namespace heddle::runtime {

// -ENOSYS: a clock that is not ours (one of a device or of another process), ask the kernel.
long get_clock(clockid_t clock, timespec* time);
// Nobody may set the clock: as for any program without privileges.
long set_clock(clockid_t clock, const timespec* time);
long set_day(const timeval* time, const struct timezone* zone);
// adjtimex() and clock_adjtime(): what an unprivileged reader of a clock that nothing synchronizes gets.
long adjust_clock(timex* state);
// Processor time is virtual; memory and faults are the kernel's and noted as not controlled.
long get_usage(int whose, rusage* usage, Site site);
long get_times(tms* times);
// The processor that the running task is on, as it sees it.
unsigned current_processor();

bool answer_time(const SystemCall& call, long& result);

}  // namespace heddle::runtime
