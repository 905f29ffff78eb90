// Clocks of processor time, calls that set or adjust clocks, resource usage, the current processor, process ids.
#include <sys/resource.h>
#include <sys/timeb.h>
#include <sys/times.h>
#include <sys/timex.h>
#include <unistd.h>

#include "runtime/carrier/threads.h"
#include "runtime/intercept/intercept.h"
#include "runtime/ring/recorder.h"
#include "runtime/state/process_ids.h"
#include "runtime/world/input_notes.h"
#include "runtime/world/inputs.h"
#include "runtime/world/system_time.h"

using namespace heddle;
using namespace heddle::runtime;

namespace heddle::runtime {
namespace {

// What the kernel would answer, as libc passes it on.
template <typename Result = int>
Result as_libc(long answer) {
  if (answer >= 0) return static_cast<Result>(answer);
  errno = static_cast<int>(-answer);
  return -1;
}

int ntp_time(ntptimeval* time) {
  timex state{};
  const long answer = adjust_clock(&state);
  *time = ntptimeval();
  time->time = state.time;
  time->maxerror = state.maxerror;
  time->esterror = state.esterror;
  return as_libc(answer);
}

}  // namespace
}  // namespace heddle::runtime

HEDDLE_EXPORT int clock_settime(clockid_t clock, const timespec* time) {
  if (!controlled()) return real::clock_settime(clock, time);
  return as_libc(set_clock(clock, time));
}

HEDDLE_EXPORT int settimeofday(const timeval* time, const struct timezone* zone) {
  if (!controlled()) return real::settimeofday(time, zone);
  if (time != nullptr && zone != nullptr) return through_errno(EINVAL);  // as glibc's
  if (zone == nullptr) read_as_libc_does(&time->tv_sec);
  return as_libc(set_day(time, zone));
}

HEDDLE_EXPORT int adjtime(const timeval* delta, timeval* left) {
  if (!controlled()) return real::adjtime(delta, left);
  if (delta != nullptr) {
    read_as_libc_does(&delta->tv_sec);
    return through_errno(EPERM);
  }
  if (left != nullptr) *left = {};
  return 0;
}

HEDDLE_EXPORT int adjtimex(timex* state) {
  if (!controlled()) return real::adjtimex(state);
  return as_libc(adjust_clock(state));
}

HEDDLE_EXPORT int ntp_adjtime(timex* state) {
  if (!controlled()) return real::ntp_adjtime(state);
  return as_libc(adjust_clock(state));
}

HEDDLE_EXPORT int clock_adjtime(clockid_t clock, timex* state) {
  if (!controlled() || clock != CLOCK_REALTIME) return real::clock_adjtime(clock, state);
  return as_libc(adjust_clock(state));
}

HEDDLE_EXPORT int ntp_gettimex(ntptimeval* time) {
  if (!controlled()) return real::ntp_gettimex(time);
  return ntp_time(time);
}

// The header sends callers of ntp_gettime() to ntp_gettimex(); this is the old function, whose structure is shorter.
HEDDLE_EXPORT int heddle_old_ntp_gettime(ntptimeval* time) __asm__("ntp_gettime");
int heddle_old_ntp_gettime(ntptimeval* time) {
  if (!controlled()) return real::old_ntp_gettime(time);
  timex state{};
  const long answer = adjust_clock(&state);
  time->time = state.time;
  time->maxerror = state.maxerror;
  time->esterror = state.esterror;
  return as_libc(answer);
}

HEDDLE_EXPORT int ftime(timeb* time) {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  *time = timeb();
  time->time = now.tv_sec;
  time->millitm = static_cast<unsigned short>(now.tv_nsec / 1'000'000);
  return 0;
}

HEDDLE_EXPORT int getrusage(__rusage_who_t whose, rusage* usage) {
  if (!controlled()) return real::getrusage(whose, usage);
  return as_libc(get_usage(static_cast<int>(whose), usage, HEDDLE_CALLER));
}

HEDDLE_EXPORT clock_t times(tms* used) {
  if (!controlled()) return real::times(used);
  before_clock_read(HEDDLE_CALLER);
  return get_times(used);
}

HEDDLE_EXPORT int pthread_getcpuclockid(pthread_t thread, clockid_t* clock) {
  if (!controlled()) return real::pthread_getcpuclockid(thread, clock);
  const TaskId task = known_task_of(thread, HEDDLE_CALLER);
  if (task == kNoTask || heddle::runtime::runtime.world->task(task).ended) return ESRCH;
  record_told_apart(task);
  *clock = processor_clock_of(task);
  return 0;
}

HEDDLE_EXPORT int clock_getres(clockid_t clock, timespec* resolution) {
  Nanoseconds offset = 0;
  if (!controlled() || clock >= 0 || !clock_offset(clock, offset)) return real::clock_getres(clock, resolution);
  if (resolution != nullptr) *resolution = {0, 1};
  return 0;
}

HEDDLE_EXPORT int sched_getcpu() {
  if (!controlled()) return real::sched_getcpu();
  return static_cast<int>(current_processor());
}

HEDDLE_EXPORT int getcpu(unsigned* processor, unsigned* node) {
  if (!controlled()) return real::getcpu(processor, node);
  if (processor != nullptr) *processor = current_processor();
  if (node != nullptr) *node = 0;
  return 0;
}

// The same in every execution of a worker. Another worker and a replay have others: where steps depend on it, it is
// named.
HEDDLE_EXPORT pid_t getpid() {
  if (controlled()) note_input("its process id (getpid)", HEDDLE_CALLER);
  return controlled() ? shown_process_id() : real::getpid();
}

HEDDLE_EXPORT pid_t getppid() {
  if (controlled()) note_input("its parent's process id (getppid)", HEDDLE_CALLER);
  return controlled() ? shown_parent_id() : real::getppid();
}
