// Timers of timer_create(): what they do when they expire, and what their signals carry.
#pragma once

#include <signal.h>
#include <time.h>

#include "runtime/state/runtime.h"
#include "runtime/world/signals/timer_table.h"

namespace heddle::runtime {

struct TimerSetting {
  Nanoseconds left = 0;  // 0: it rests
  Nanoseconds interval = 0;
};

// The number of a new timer, or -1: there are too many.
// `names_itself`: its signals carry its number.
int make_posix_timer(clockid_t clock, const TimerNotice& notice, Site site, bool names_itself);
clockid_t clock_of_timer(int number);
// The object that its steps are on.
ObjectId timer_object(int number);
// `deadline`: in virtual time; kNoDeadline: it rests from now on.
void set_posix_timer(int number, Nanoseconds deadline, Nanoseconds interval);
TimerSetting setting_of_timer(int number);
int overrun_of_timer(int number);
void delete_posix_timer(int number);

}  // namespace heddle::runtime
