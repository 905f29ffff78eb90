// Timers of the program: tasks without a stack, whose only operations are to expire at a virtual time and then to send
// a signal. Their owners do the rest: alarm and its kin (intercept/interval_timers.cpp), timer_create (posix_timers.h).
#pragma once

#include "runtime/state/runtime.h"

namespace heddle::runtime {

// A timer of the process that rests. kNoTask when there are too many tasks. When it has expired and has sent its
// signal, if any, `on_expired` is called with the result of the SignalSend, in the middle of the scheduler: no
// operation can be performed there.
TaskId make_timer(const char* name, Site site, void (*on_expired)(TaskId timer, std::int32_t result));
// In a forked child timers have ended.
bool timer_exists(TaskId timer);
// From now on it expires once, at `deadline`, and sends `signal` (0: none) to `target` (kNoTask: to the process).
// `one_shot`: it will not be armed again by its owner.
void arm_timer(TaskId timer, Nanoseconds deadline, int signal, TaskId target, bool one_shot);
void disarm_timer(TaskId timer);
// When it expires; kNoDeadline: it rests.
Nanoseconds timer_deadline(TaskId timer);
// The first of a row of times, `interval` apart, that is after now. `passed`: how many of them are over, the first
// (`deadline` itself) not counted.
Nanoseconds next_in_row(Nanoseconds deadline, Nanoseconds interval, std::int64_t& passed);

// The action of a signal has changed, or who blocks it: timers that would end the process don't expire early.
void on_timer_action_changed(std::uint64_t signals);

}  // namespace heddle::runtime
