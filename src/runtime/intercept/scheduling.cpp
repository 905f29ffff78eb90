// See scheduling.h.
#include "runtime/intercept/scheduling.h"

#include <sched.h>

#include "runtime/intercept/intercept.h"
#include "runtime/os/system_call.h"
#include "runtime/process_ids.h"
#include "runtime/threads.h"
#include "runtime/user_memory.h"

using namespace heddle;
using namespace heddle::runtime;

namespace heddle::runtime {
namespace {

struct Scheduling {
  int policy;
  int priority;
};

Scheduling of_kernel() {
  sched_param parameter{};
  const auto policy = static_cast<int>(os::system_call(SYS_sched_getscheduler, 0));
  os::system_call(SYS_sched_getparam, 0, reinterpret_cast<long>(&parameter));
  return {policy, parameter.sched_priority};
}

Scheduling of_task(TaskId task) {
  const TaskData& data = runtime.tasks[task];
  return data.policy >= 0 ? Scheduling{data.policy, data.priority} : of_kernel();
}

// Tried, and undone at once: rights and limits are the kernel's matter.
int try_in_kernel(const Scheduling& wanted) {
  const Scheduling before = of_kernel();
  const sched_param parameter{wanted.priority}, old{before.priority};
  const long error = os::system_call(SYS_sched_setscheduler, 0, wanted.policy, reinterpret_cast<long>(&parameter));
  if (error == 0) os::system_call(SYS_sched_setscheduler, 0, before.policy, reinterpret_cast<long>(&old));
  return static_cast<int>(-error);
}

int set_scheduling(TaskId task, const Scheduling& wanted) {
  if (const int error = try_in_kernel(wanted); error != 0) return error;
  runtime.tasks[task].policy = wanted.policy;
  runtime.tasks[task].priority = wanted.priority;
  return 0;
}

// By a number of the kernel's, as the program sees it (gettid()).
TaskId task_of_number(pid_t number) {
  if (number == 0) return runtime.current;
  const pid_t task = number - shown_process_id();
  if (task < 0 || static_cast<std::uint32_t>(task) >= runtime.world->task_count()) return kNoTask;
  return runtime.world->task(static_cast<TaskId>(task)).ended ? kNoTask : static_cast<TaskId>(task);
}

// glibc's attributes: what was set explicitly. What was not is inherited, whatever pthread_attr_getinheritsched says.
bool was_set(const pthread_attr_t* attributes) {
  constexpr std::size_t kFlagsAt = 8;
  constexpr std::uint32_t kParameterSet = 0x20, kPolicySet = 0x40;
  std::uint32_t flags = 0;
  __builtin_memcpy(&flags, reinterpret_cast<const char*>(attributes) + kFlagsAt, sizeof flags);
  return (flags & (kParameterSet | kPolicySet)) != 0;
}

// The one that the attributes name, unless the thread is to inherit its creator's.
bool names_scheduling(const pthread_attr_t* attributes, Scheduling& named) {
  int inherits = PTHREAD_INHERIT_SCHED;
  if (attributes == nullptr || pthread_attr_getinheritsched(attributes, &inherits) != 0) return false;
  if (inherits != PTHREAD_EXPLICIT_SCHED || !was_set(attributes)) return false;
  sched_param parameter{};
  pthread_attr_getschedpolicy(attributes, &named.policy);
  pthread_attr_getschedparam(attributes, &parameter);
  named.priority = parameter.sched_priority;
  return true;
}

int set_of_thread(pthread_t thread, int policy, int priority) {
  const TaskId task = task_of(thread);
  return task == kNoTask ? ESRCH : set_scheduling(task, {policy, priority});
}

}  // namespace

int check_scheduling_of_new(const pthread_attr_t* attributes) {
  Scheduling named{};
  return names_scheduling(attributes, named) ? try_in_kernel(named) : 0;
}

void set_scheduling_of_new(TaskId made, TaskId creator, const pthread_attr_t* attributes) {
  Scheduling own{runtime.tasks[creator].policy, runtime.tasks[creator].priority};
  if ((own.policy & SCHED_RESET_ON_FORK) != 0 && own.policy >= 0) own = {SCHED_OTHER, 0};
  names_scheduling(attributes, own);
  runtime.tasks[made].policy = own.policy;
  runtime.tasks[made].priority = own.priority;
}

}  // namespace heddle::runtime

HEDDLE_EXPORT int pthread_setschedparam(pthread_t thread, int policy, const sched_param* parameter) {
  if (!controlled()) return real::pthread_setschedparam(thread, policy, parameter);
  if (parameter == nullptr) return EINVAL;
  if (!can_read(parameter, sizeof *parameter)) return EFAULT;
  return set_of_thread(thread, policy, parameter->sched_priority);
}

HEDDLE_EXPORT int pthread_setschedprio(pthread_t thread, int priority) {
  if (!controlled()) return real::pthread_setschedprio(thread, priority);
  const TaskId task = task_of(thread);
  return task == kNoTask ? ESRCH : set_scheduling(task, {of_task(task).policy, priority});
}

HEDDLE_EXPORT int pthread_getschedparam(pthread_t thread, int* policy, sched_param* parameter) {
  if (!controlled()) return real::pthread_getschedparam(thread, policy, parameter);
  const TaskId task = task_of(thread);
  if (task == kNoTask) return ESRCH;
  const Scheduling known = of_task(task);
  *policy = known.policy & ~SCHED_RESET_ON_FORK;
  parameter->sched_priority = known.priority;
  return 0;
}

HEDDLE_EXPORT int sched_setscheduler(pid_t process, int policy, const sched_param* parameter) {
  const TaskId task = controlled() ? task_of_number(process) : kNoTask;
  if (task == kNoTask) return real::sched_setscheduler(process, policy, parameter);
  if (parameter == nullptr) return through_errno(EINVAL);
  if (!can_read(parameter, sizeof *parameter)) return through_errno(EFAULT);
  return through_errno(set_scheduling(task, {policy, parameter->sched_priority}));
}

HEDDLE_EXPORT int sched_setparam(pid_t process, const sched_param* parameter) {
  const TaskId task = controlled() ? task_of_number(process) : kNoTask;
  if (task == kNoTask) return real::sched_setparam(process, parameter);
  if (parameter == nullptr) return through_errno(EINVAL);
  if (!can_read(parameter, sizeof *parameter)) return through_errno(EFAULT);
  return through_errno(set_scheduling(task, {of_task(task).policy, parameter->sched_priority}));
}

HEDDLE_EXPORT int sched_getscheduler(pid_t process) {
  const TaskId task = controlled() ? task_of_number(process) : kNoTask;
  return task == kNoTask ? real::sched_getscheduler(process) : of_task(task).policy;
}

HEDDLE_EXPORT int sched_getparam(pid_t process, sched_param* parameter) {
  const TaskId task = controlled() ? task_of_number(process) : kNoTask;
  if (task == kNoTask || parameter == nullptr) return real::sched_getparam(process, parameter);
  if (!can_write(parameter, sizeof *parameter)) return through_errno(EFAULT);
  parameter->sched_priority = of_task(task).priority;
  return 0;
}
