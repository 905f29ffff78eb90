// See scheduling.h.
#include "runtime/intercept/scheduling.h"

#include <sched.h>
#include <sys/syscall.h>

#include "runtime/carrier/threads.h"
#include "runtime/intercept/intercept.h"
#include "runtime/ring/recorder.h"
#include "runtime/snapshot/user_memory.h"
#include "runtime/system_calls/perform.h"
#include "runtime/world/scheduling.h"

using namespace heddle;
using namespace heddle::runtime;

namespace heddle::runtime {
namespace {

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

int set_of_thread(pthread_t thread, int policy, int priority, Site site) {
  const TaskId task = known_task_of(thread, site);
  return task == kNoTask ? ESRCH : set_scheduling(task, {policy, priority});
}

int by_number(long (*perform)(const SystemCall&, Site), const SystemCall& call) {
  return static_cast<int>(as_libc_returns(perform(call, 0)));
}

}  // namespace

int check_scheduling_of_new(const pthread_attr_t* attributes) {
  Scheduling named{};
  return names_scheduling(attributes, named) ? try_scheduling(named) : 0;
}

void set_scheduling_of_new(TaskId made, TaskId creator, const pthread_attr_t* attributes) {
  inherit_scheduling(made, creator);
  Scheduling named{};
  if (!names_scheduling(attributes, named)) return;
  runtime.tasks[made].policy = named.policy;
  runtime.tasks[made].priority = named.priority;
}

}  // namespace heddle::runtime

HEDDLE_EXPORT int pthread_setschedparam(pthread_t thread, int policy, const sched_param* parameter) {
  if (!controlled()) return real::pthread_setschedparam(thread, policy, parameter);
  const sched_param* volatile given =
      parameter;  // its header promises that it is somewhere; the program may not keep to it
  if (given == nullptr) return EINVAL;
  if (!can_read(parameter, sizeof *parameter)) return EFAULT;
  return set_of_thread(thread, policy, parameter->sched_priority, HEDDLE_CALLER);
}

HEDDLE_EXPORT int pthread_setschedprio(pthread_t thread, int priority) {
  if (!controlled()) return real::pthread_setschedprio(thread, priority);
  const TaskId task = known_task_of(thread, HEDDLE_CALLER);
  return task == kNoTask ? ESRCH : set_scheduling(task, {scheduling_of(task).policy, priority});
}

HEDDLE_EXPORT int pthread_getschedparam(pthread_t thread, int* policy, sched_param* parameter) {
  if (!controlled()) return real::pthread_getschedparam(thread, policy, parameter);
  const TaskId task = known_task_of(thread, HEDDLE_CALLER);
  if (task == kNoTask) return ESRCH;
  record_told_apart(task);
  const Scheduling known = scheduling_of(task);
  *policy = known.policy & ~SCHED_RESET_ON_FORK;
  parameter->sched_priority = known.priority;
  return 0;
}

HEDDLE_EXPORT int sched_setscheduler(pid_t process, int policy, const sched_param* parameter) {
  if (!controlled() || !is_task_number(process)) return real::sched_setscheduler(process, policy, parameter);
  return by_number(perform_set_scheduler,
                   {SYS_sched_setscheduler, {process, policy, reinterpret_cast<long>(parameter)}});
}

HEDDLE_EXPORT int sched_setparam(pid_t process, const sched_param* parameter) {
  if (!controlled() || !is_task_number(process)) return real::sched_setparam(process, parameter);
  return by_number(perform_set_scheduling_parameter,
                   {SYS_sched_setparam, {process, reinterpret_cast<long>(parameter)}});
}

HEDDLE_EXPORT int sched_getscheduler(pid_t process) {
  if (!controlled() || !is_task_number(process)) return real::sched_getscheduler(process);
  return by_number(perform_get_scheduler, {SYS_sched_getscheduler, {process}});
}

HEDDLE_EXPORT int sched_getparam(pid_t process, sched_param* parameter) {
  if (!controlled() || !is_task_number(process)) return real::sched_getparam(process, parameter);
  return by_number(perform_get_scheduling_parameter,
                   {SYS_sched_getparam, {process, reinterpret_cast<long>(parameter)}});
}
