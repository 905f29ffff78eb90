// Timers of timer_create(): what they do when they expire, and what their signals carry. As in the kernel, a timer
// whose signal waits to be taken rests; how often it would have expired meanwhile is its overrun.
#pragma once

#include <signal.h>
#include <time.h>

#include "runtime/state/runtime.h"

namespace heddle::runtime {

struct TimerNotice {
  int how = SIGEV_SIGNAL;  // SIGEV_…
  int signal = 0;
  sigval value{};
  TaskId target = kNoTask;             // SIGEV_THREAD_ID
  void (*function)(sigval) = nullptr;  // SIGEV_THREAD
  std::size_t stack_bytes = 0;         // of its threads; 0: the default
};

struct TimerSetting {
  Nanoseconds left = 0;  // 0: it rests
  Nanoseconds interval = 0;
};

// The number of a new timer, or -1: there are too many.
// `names_itself`: its signals carry its number.
int make_posix_timer(clockid_t clock, const TimerNotice& notice, Site site, bool names_itself);
bool is_posix_timer(int number);
clockid_t clock_of_timer(int number);
// The object that its steps are on.
ObjectId timer_object(int number);
// `deadline`: in virtual time; kNoDeadline: it rests from now on.
void set_posix_timer(int number, Nanoseconds deadline, Nanoseconds interval);
TimerSetting setting_of_timer(int number);
int overrun_of_timer(int number);
void delete_posix_timer(int number);

// For the queue of signals (SI_TIMER): `info` is completed when it is taken.
void on_timer_signal_queued(const siginfo_t& info);
void on_timer_signal_taken(siginfo_t& info);

}  // namespace heddle::runtime
