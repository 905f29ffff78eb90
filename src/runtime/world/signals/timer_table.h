// The state of the timers of timer_create(), for the code that makes them (posix_timers.h) and for the queue of
// signals. As in the kernel, a timer rests while its signal is pending; its overrun counts how often it would have
// expired meanwhile.
#pragma once

#include <signal.h>
#include <time.h>

#include "model/table.h"
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

struct PosixTimer {
  clockid_t clock;
  TimerNotice notice;
  TaskId task;      // that expires; kNoTask: deleted
  ObjectId object;  // the task's
  bool armed;
  bool signal_waits;     // and with it the next expiry
  Nanoseconds deadline;  // the next, or the last one that is over
  Nanoseconds interval;
  std::int64_t overrun;  // of the signal that waits
  int last_overrun;      // of the one that was taken last
  Site site;
};

struct ExecutionPosixTimers {
  model::Table<PosixTimer> timers;
  int timer_count = 0;
  model::Table<TaskId> free_tasks;
  std::uint32_t free_count = 0;
};
extern ExecutionPosixTimers execution_posix_timers;

inline PosixTimer& timer_at(int number) { return execution_posix_timers.timers[static_cast<std::uint32_t>(number)]; }
bool is_posix_timer(int number);
void arm(const PosixTimer& timer);
// To the next expiry. How many of them are over already.
std::int64_t move_on(PosixTimer& timer);

// For the queue of signals (SI_TIMER): `info` is completed when it is taken.
void on_timer_signal_queued(const siginfo_t& info);
void on_timer_signal_taken(siginfo_t& info);

}  // namespace heddle::runtime
