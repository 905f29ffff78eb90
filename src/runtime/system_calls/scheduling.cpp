// Scheduling calls that take the kernel's thread numbers, which are Heddle's here (runtime/world/scheduling.h). They
// are not steps: the values are kept for the thread and have no effect on the schedule.
#include "runtime/world/scheduling.h"

#include <errno.h>
#include <sched.h>
#include <sys/resource.h>

#include "protocol/page.h"
#include "runtime/os/system_call.h"
#include "runtime/ring/recorder.h"
#include "runtime/snapshot/user_memory.h"
#include "runtime/state/runtime.h"
#include "runtime/system_calls/attempt.h"
#include "runtime/system_calls/perform.h"

namespace heddle::runtime {
namespace {

// The kernel's struct sched_attr (glibc 2.36 has none).
struct Attributes {
  std::uint32_t size;
  std::uint32_t policy;
  std::uint64_t flags;
  std::int32_t nice;
  std::uint32_t priority;
  std::uint64_t runtime_ns, deadline_ns, period_ns;
  std::uint32_t least_use, most_use;
};
constexpr std::size_t kFirstSize = 48;  // as it was at first, without the last line
static_assert(sizeof(Attributes) == kFirstSize + 8);

constexpr std::uint64_t kResetOnFork = 1, kKeepPolicy = 8, kKeepParameters = 0x10;

pid_t number_in(const SystemCall& call) { return static_cast<pid_t>(call.arguments[0]); }

bool is_real_time(int policy) { return policy == SCHED_FIFO || policy == SCHED_RR; }

// The kernel's is larger than the one that is known here only where the rest is empty.
long read_attributes(const Attributes* given, Attributes& wanted) {
  if (!can_read(given, kFirstSize)) return -EFAULT;
  const std::size_t size = given->size == 0 ? kFirstSize : given->size;
  constexpr std::size_t kPage = kPageBytes;
  if (size < kFirstSize || size > kPage) return -E2BIG;
  if (!can_read(given, size)) return -EFAULT;
  const char* bytes = reinterpret_cast<const char*>(given);
  for (std::size_t i = sizeof wanted; i < size; ++i)
    if (bytes[i] != 0) return -E2BIG;
  __builtin_memcpy(&wanted, given, size < sizeof wanted ? size : sizeof wanted);
  return 0;
}

long set_attributes(TaskId task, const Attributes& wanted) {
  const Scheduling own = scheduling_of(task);
  const bool keeps = (wanted.flags & kKeepParameters) != 0;
  Scheduling next{static_cast<int>(wanted.policy), static_cast<int>(wanted.priority)};
  if ((wanted.flags & kKeepPolicy) != 0) next.policy = own.policy & ~SCHED_RESET_ON_FORK;
  if (keeps) next.priority = own.priority;
  if (next.policy < 0) return -EINVAL;
  if (next.policy == SCHED_DEADLINE) return -EPERM;  // as for every thread that is pinned to a processor
  if (const int error = try_scheduling(next); error != 0) return -error;
  if (!keeps && !is_real_time(next.policy) && !set_nice(task, wanted.nice)) return -EPERM;
  if ((wanted.flags & kResetOnFork) != 0) next.policy |= SCHED_RESET_ON_FORK;
  return -set_scheduling(task, next);
}

}  // namespace

long perform_set_scheduler(const SystemCall& call, Site) {
  if (!is_task_number(number_in(call))) return pass(call);
  const TaskId task = task_of_number(number_in(call));
  const auto policy = static_cast<int>(call.arguments[1]);
  const auto* parameter = reinterpret_cast<const sched_param*>(call.arguments[2]);
  if (parameter == nullptr || policy < 0) return -EINVAL;
  if (!can_read(parameter, sizeof *parameter)) return -EFAULT;
  return task == kNoTask ? -ESRCH : -set_scheduling(task, {policy, parameter->sched_priority});
}

long perform_get_scheduler(const SystemCall& call, Site) {
  if (!is_task_number(number_in(call))) return pass(call);
  const TaskId task = task_of_number(number_in(call));
  if (task == kNoTask) return -ESRCH;
  record_told_apart(task);
  return scheduling_of(task).policy;
}

long perform_set_scheduling_parameter(const SystemCall& call, Site) {
  if (!is_task_number(number_in(call))) return pass(call);
  const TaskId task = task_of_number(number_in(call));
  const auto* parameter = reinterpret_cast<const sched_param*>(call.arguments[1]);
  if (parameter == nullptr) return -EINVAL;
  if (!can_read(parameter, sizeof *parameter)) return -EFAULT;
  return task == kNoTask ? -ESRCH : -set_scheduling(task, {scheduling_of(task).policy, parameter->sched_priority});
}

long perform_get_scheduling_parameter(const SystemCall& call, Site) {
  if (!is_task_number(number_in(call))) return pass(call);
  const TaskId task = task_of_number(number_in(call));
  auto* parameter = reinterpret_cast<sched_param*>(call.arguments[1]);
  if (parameter == nullptr) return -EINVAL;
  if (task == kNoTask) return -ESRCH;
  if (!can_write(parameter, sizeof *parameter)) return -EFAULT;
  record_told_apart(task);
  parameter->sched_priority = scheduling_of(task).priority;
  return 0;
}

long perform_set_scheduling_attributes(const SystemCall& call, Site) {
  if (!is_task_number(number_in(call))) return pass(call);
  const auto* given = reinterpret_cast<const Attributes*>(call.arguments[1]);
  if (given == nullptr || static_cast<unsigned>(call.arguments[2]) != 0) return -EINVAL;
  Attributes wanted{};
  if (const long error = read_attributes(given, wanted); error != 0) return error;
  const TaskId task = task_of_number(number_in(call));
  return task == kNoTask ? -ESRCH : set_attributes(task, wanted);
}

// As the kernel has them for itself, but for what is kept here.
long perform_get_scheduling_attributes(const SystemCall& call, Site) {
  if (!is_task_number(number_in(call))) return pass(call);
  auto* shown = reinterpret_cast<void*>(call.arguments[1]);
  const auto size = static_cast<std::uint32_t>(call.arguments[2]);
  constexpr std::uint32_t kPage = kPageBytes;
  if (shown == nullptr || size < kFirstSize || size > kPage || static_cast<unsigned>(call.arguments[3]) != 0)
    return -EINVAL;
  const TaskId task = task_of_number(number_in(call));
  if (task == kNoTask) return -ESRCH;
  Attributes found{};
  const std::size_t bytes = size < sizeof found ? size : sizeof found;
  const long error = os::system_call(SYS_sched_getattr, 0, reinterpret_cast<long>(&found), static_cast<long>(bytes), 0);
  if (error != 0) return error;
  const Scheduling own = scheduling_of(task);
  found.policy = static_cast<std::uint32_t>(own.policy & ~SCHED_RESET_ON_FORK);
  found.flags = (own.policy & SCHED_RESET_ON_FORK) != 0 ? kResetOnFork : 0;
  found.priority = static_cast<std::uint32_t>(own.priority);
  found.nice = is_real_time(static_cast<int>(found.policy)) ? 0 : nice_of(task);
  if (!can_write(shown, bytes)) return -EFAULT;
  __builtin_memcpy(shown, &found, bytes);
  return 0;
}

long perform_round_robin_interval(const SystemCall& call, Site) {
  if (!is_task_number(number_in(call))) return pass(call);
  if (task_of_number(number_in(call)) == kNoTask) return -ESRCH;
  SystemCall own = call;
  own.arguments[0] = 0;
  return pass(own);
}

long perform_set_priority(const SystemCall& call, Site) {
  const auto number = static_cast<pid_t>(call.arguments[1]);
  if (static_cast<int>(call.arguments[0]) != PRIO_PROCESS || !is_task_number(number)) return pass(call);
  const TaskId task = task_of_number(number);
  if (task == kNoTask) return -ESRCH;
  return set_nice(task, static_cast<int>(call.arguments[2])) ? 0 : -EACCES;
}

long perform_get_priority(const SystemCall& call, Site) {
  const auto number = static_cast<pid_t>(call.arguments[1]);
  if (static_cast<int>(call.arguments[0]) != PRIO_PROCESS || !is_task_number(number)) return pass(call);
  const TaskId task = task_of_number(number);
  constexpr int kNiceOffset = 20;  // so it is never negative
  if (task == kNoTask) return -ESRCH;
  record_told_apart(task);
  return kNiceOffset - nice_of(task);
}

}  // namespace heddle::runtime
