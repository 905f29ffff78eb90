// See scheduling.h.
#include "runtime/world/scheduling.h"

#include <errno.h>
#include <sched.h>
#include <sys/resource.h>

#include <algorithm>

#include "runtime/os/system_call.h"
#include "runtime/state/process_ids.h"
#include "runtime/state/runtime.h"

namespace heddle::runtime {
namespace {

constexpr int kMinNice = -20, kMaxNice = 19;
constexpr int kNiceOffset = 20;  // the system call returns 20 - nice, and RLIMIT_NICE counts so

Scheduling of_kernel() {
  sched_param parameter{};
  const auto policy = static_cast<int>(os::system_call(SYS_sched_getscheduler, 0));
  os::system_call(SYS_sched_getparam, 0, reinterpret_cast<long>(&parameter));
  return {policy, parameter.sched_priority};
}

int nice_of_kernel() { return kNiceOffset - static_cast<int>(os::system_call(SYS_getpriority, PRIO_PROCESS, 0)); }

// Tried with a value that can be taken back: back up is always allowed.
bool may_have_nice(int nice) {
  rlimit limit{};
  os::system_call(SYS_prlimit64, 0, RLIMIT_NICE, 0, reinterpret_cast<long>(&limit));
  if (static_cast<rlim_t>(kNiceOffset - nice) <= limit.rlim_cur) return true;
  const int before = nice_of_kernel();
  if (os::system_call(SYS_setpriority, PRIO_PROCESS, 0, std::min(nice, before - 1)) != 0) return false;
  os::system_call(SYS_setpriority, PRIO_PROCESS, 0, before);
  return true;
}

}  // namespace

Scheduling scheduling_of(TaskId task) {
  const TaskData& data = runtime.tasks[task];
  return data.policy >= 0 ? Scheduling{data.policy, data.priority} : of_kernel();
}

// Tried, and undone at once: rights and limits are the kernel's matter. What a thread without rights can't take back
// is not tried: SCHED_IDLE, which the kernel treats as SCHED_OTHER here, and SCHED_RESET_ON_FORK.
int try_scheduling(const Scheduling& wanted) {
  const Scheduling before = of_kernel();
  const sched_param parameter{wanted.priority}, old{before.priority};
  int policy = wanted.policy < 0 ? wanted.policy : wanted.policy & ~SCHED_RESET_ON_FORK;
  if (policy == SCHED_IDLE) policy = SCHED_OTHER;
  const long error = os::system_call(SYS_sched_setscheduler, 0, policy, reinterpret_cast<long>(&parameter));
  if (error == 0) os::system_call(SYS_sched_setscheduler, 0, before.policy, reinterpret_cast<long>(&old));
  return static_cast<int>(-error);
}

int set_scheduling(TaskId task, const Scheduling& wanted) {
  if (const int error = try_scheduling(wanted); error != 0) return error;
  runtime.tasks[task].policy = wanted.policy;
  runtime.tasks[task].priority = wanted.priority;
  return 0;
}

int nice_of(TaskId task) {
  const TaskData& data = runtime.tasks[task];
  return data.has_nice ? data.nice : nice_of_kernel();
}

bool set_nice(TaskId task, int nice) {
  nice = std::clamp(nice, kMinNice, kMaxNice);
  if (nice < nice_of(task) && !may_have_nice(nice)) return false;
  runtime.tasks[task].nice = nice;
  runtime.tasks[task].has_nice = true;
  return true;
}

bool is_task_number(pid_t number) { return number == 0 || task_with_number(number) != kNoTask; }

TaskId task_of_number(pid_t number) {
  if (number == 0) return runtime.current;
  const TaskId task = task_with_number(number);
  return task == kNoTask || runtime.world->task(task).ended ? kNoTask : task;
}

void inherit_scheduling(TaskId made, TaskId creator) {
  const TaskData& from = runtime.tasks[creator];
  TaskData& to = runtime.tasks[made];
  const bool resets = from.policy >= 0 && (from.policy & SCHED_RESET_ON_FORK) != 0;
  to.policy = resets ? SCHED_OTHER : from.policy;
  to.priority = resets ? 0 : from.priority;
  to.has_nice = from.has_nice;
  to.nice = resets ? std::max(from.nice, 0) : from.nice;
}

}  // namespace heddle::runtime
