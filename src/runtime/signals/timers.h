// Timers of the program: tasks without a stack, whose only operations are to expire at a virtual time and then to send
// a signal. What a timer does when its signal has been sent is the runtime's: it is armed anew, or rests.
#pragma once

#include "runtime/runtime.h"

namespace heddle::runtime {

// A timer of the process that rests. kNoTask when there are too many tasks.
TaskId make_timer(const char* name, Site site);
// From now on it expires at `deadline` and sends `signal` to `target` (kNoTask: to the process); then again each
// `interval`, if that is not 0.
void arm_timer(TaskId timer, Nanoseconds deadline, Nanoseconds interval, int signal, TaskId target);
void disarm_timer(TaskId timer);
// When it expires next; kNoDeadline: it rests.
Nanoseconds timer_deadline(TaskId timer);
Nanoseconds timer_interval(TaskId timer);

// For the scheduler: the timer's SignalSend has taken effect, with this result.
void timer_has_sent(TaskId timer, std::int32_t result);
// The action of a signal has changed: timers that would end the process don't expire early.
void on_timer_action_changed(int signal);

}  // namespace heddle::runtime
