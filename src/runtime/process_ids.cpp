// See process_ids.h.
#include "runtime/process_ids.h"

#include "runtime/os/system_call.h"
#include "runtime/runtime.h"

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

}  // namespace heddle::runtime
