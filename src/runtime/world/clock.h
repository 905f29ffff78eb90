// Virtual time: the model's nanoseconds as the program's clocks.
//
// Time moves by the schedule only: when a timeout fires or a sleep ends, to its deadline. A clock read moves it by a
// microsecond, so that two reads differ and a loop that polls the clock ends; after a thousand reads in a row with no
// other operation than yields the step doubles again and again, and the task yields now and then, so that such a
// loop ends soon, whether it waits for a time or for what another thread does.
#pragma once

#include <time.h>

#include "protocol/operations.h"

namespace heddle::runtime {

// The virtual time at which `clock` shows `time`; kNoDeadline for a null pointer, at the latest INT64_MAX / 2.
Nanoseconds deadline_at(clockid_t clock, const timespec* time);
Nanoseconds deadline_after(const timespec& duration);
// Nanoseconds since the program began, for one that reads a clock: moves virtual time, and the processor time of the
// running task.
Nanoseconds read_clock();
// Before the program reads a clock, on the task's own stack: the search may let the task be slow there, and a task that
// reads clocks in a row and does nothing else yields.
void before_clock_read(Site site);
// read_clock() for any clock: what it shows. False: not a clock of ours.
bool read_clock(clockid_t clock, Nanoseconds& shown);
// What the clock shows now minus virtual time, without moving either. False: not a clock of ours.
bool clock_offset(clockid_t clock, Nanoseconds& offset);

// Processor time passes only while clocks are read: a sleep uses none, and a loop that waits for it ends.
Nanoseconds task_time(TaskId task);
Nanoseconds process_time();
// The clock that pthread_getcpuclockid() gives for a task.
clockid_t processor_clock_of(TaskId task);

inline bool valid(const timespec& time) { return time.tv_nsec >= 0 && time.tv_nsec < 1'000'000'000; }
// The clocks that pthread and semaphore functions wait on.
inline bool can_wait_by(clockid_t clock) { return clock == CLOCK_REALTIME || clock == CLOCK_MONOTONIC; }

}  // namespace heddle::runtime
