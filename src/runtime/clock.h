// Virtual time: the model's nanoseconds as the program's clocks.
//
// Time moves by the schedule only: when a timeout fires or a sleep ends, to its deadline. A clock read moves it by a
// microsecond, so that two reads differ and a loop that polls the clock ends; after a thousand reads in a row with no
// other operation than yields the step doubles again and again, so that such a loop ends soon.
#pragma once

#include <time.h>

#include "protocol/operations.h"

namespace heddle::runtime {

// The virtual time at which `clock` shows `time`; kNoDeadline for a null pointer, at the latest INT64_MAX / 2.
Nanoseconds deadline_at(clockid_t clock, const timespec* time);
Nanoseconds deadline_after(const timespec& duration);
// What `clock` shows at virtual time `now`, as nanoseconds. False: not a clock of ours.
bool clock_shows(clockid_t clock, Nanoseconds now, Nanoseconds& shown);
// The present virtual time, for a program that reads a clock: moves it.
Nanoseconds read_clock();

inline bool valid(const timespec& time) { return time.tv_nsec >= 0 && time.tv_nsec < 1'000'000'000; }
// The clocks that pthread and semaphore functions wait on.
inline bool can_wait_on(clockid_t clock) { return clock == CLOCK_REALTIME || clock == CLOCK_MONOTONIC; }

}  // namespace heddle::runtime
