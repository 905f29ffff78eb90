// See process_ids.h.
#include "runtime/state/process_ids.h"

#include <sys/resource.h>
#include <sys/syscall.h>

#include "runtime/os/system_call.h"
#include "runtime/state/runtime.h"

namespace heddle::runtime {
namespace {

// In the process that runs an execution, to its end.
bool in_execution() { return runtime.mode == Mode::Branching || runtime.mode == Mode::Ended; }

}  // namespace

int shown_process_id() { return in_execution() ? runtime.process : os::process_id(); }

int shown_parent_id() {
  if (in_execution()) return runtime.parent_process;
  const int parent = static_cast<int>(os::system_call(SYS_getppid));
  const bool of_execution = runtime.mode == Mode::Detached && runtime.shared != nullptr &&
                            parent == runtime.shared->status.executing.load(std::memory_order_relaxed);
  return of_execution ? runtime.process : parent;
}

bool is_own_process(int id) { return id == os::process_id() || (in_execution() && id == runtime.process); }

int real_process_id(int id) {
  if (id == 0 || id != runtime.process) return id;
  if (in_execution()) return os::process_id();
  const int executing =
      runtime.shared != nullptr ? runtime.shared->status.executing.load(std::memory_order_relaxed) : 0;
  return runtime.mode == Mode::Detached && executing != 0 ? executing : id;
}

ThreadNumbers thread_numbers() { return {static_cast<std::uint32_t>(shown_process_id()), runtime.first_task}; }

int number_of_task(TaskId task) { return static_cast<int>(thread_numbers().of(task)); }

TaskId task_with_number(int number) {
  return thread_numbers().task_with(static_cast<std::uint32_t>(number), runtime.world->population().task_count());
}

namespace {

void to_kernel_id(long& id) {
  if (in_execution() && task_with_number(static_cast<int>(id)) != kNoTask) id = os::process_id();
}

}  // namespace

SystemCall with_kernel_ids(SystemCall call) {
  constexpr long kWhoProcess = 1;  // IOPRIO_WHO_PROCESS
  long* const a = call.arguments;
  switch (call.number) {
    case SYS_prlimit64:
    case SYS_process_vm_readv:
    case SYS_process_vm_writev:
    case SYS_getpgid:
    case SYS_getsid:
    case SYS_setpgid:
    case SYS_pidfd_open:
    case SYS_migrate_pages:
    case SYS_move_pages:
      to_kernel_id(a[0]);
      break;
    case SYS_kcmp:
      to_kernel_id(a[0]);
      to_kernel_id(a[1]);
      break;
    case SYS_ioprio_get:
    case SYS_ioprio_set:
      if (a[0] == kWhoProcess) to_kernel_id(a[1]);
      break;
    case SYS_getpriority:
    case SYS_setpriority:
      if (a[0] == PRIO_PROCESS) to_kernel_id(a[1]);
      break;
    default:
      break;
  }
  return call;
}

}  // namespace heddle::runtime
