// Names of threads: pthread_setname_np and prctl(PR_SET_NAME); and the other calls of prctl() that must not reach the
// kernel.
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "protocol/page.h"
#include "runtime/carrier/threads.h"
#include "runtime/intercept/intercept.h"
#include "runtime/os/system_call.h"
#include "runtime/ring/recorder.h"
#include "runtime/snapshot/user_memory.h"
#include "runtime/system_calls/attempt.h"
#include "runtime/system_calls/perform.h"
#include "runtime/world/death_signal.h"

using namespace heddle;
using namespace heddle::runtime;

namespace heddle::runtime {
namespace {

constexpr std::size_t kNameCapacity = sizeof(TaskData::name);

void set_name(TaskId task, const char* name, std::size_t length) {
  TaskData& data = runtime.tasks[task];
  memcpy(data.name, name, length);
  data.name[length] = 0;
  data.named = true;
  record_message(MessageKind::TaskName, task, name, length);
}

bool is_about_name(const SystemCall& call) {
  const auto option = static_cast<int>(call.arguments[0]);
  return option == PR_SET_NAME || option == PR_GET_NAME;
}

// As the kernel does, what is too long is cut off. It may lie at the end of what can be read.
long set_own_name(const char* text) {
  constexpr std::uintptr_t kPage = kPageBytes;
  char name[kNameCapacity];
  std::size_t length = 0;
  for (; length < kNameCapacity - 1; ++length) {
    const char* at = text + length;
    const bool page_begins = reinterpret_cast<std::uintptr_t>(at) % kPage == 0;
    if ((length == 0 || page_begins) && !is_readable(reinterpret_cast<long>(at), 1)) return -EFAULT;
    if (*at == 0) break;
    name[length] = *at;
  }
  set_name(current_task(), name, length);
  return 0;
}

long show_own_name(char* buffer) {
  char name[kNameCapacity] = {};
  record_told_apart(current_task());
  const TaskData& data = runtime.tasks[current_task()];
  if (data.named)
    memcpy(name, data.name, kNameCapacity);
  else
    os::system_call(SYS_prctl, PR_GET_NAME, reinterpret_cast<long>(name));
  if (!can_write(buffer, kNameCapacity)) return -EFAULT;
  memcpy(buffer, name, kNameCapacity);
  return 0;
}

}  // namespace

// Names are kept as pthread_setname_np's are: the kernel's thread may be another's, too.
long perform_process_control(const SystemCall& call, Site) {
  if (is_about_death_signal(call)) return answer_death_signal(call);
  if (!is_about_name(call)) return pass(call);
  auto* text = reinterpret_cast<char*>(call.arguments[1]);
  return static_cast<int>(call.arguments[0]) == PR_SET_NAME ? set_own_name(text) : show_own_name(text);
}

}  // namespace heddle::runtime

HEDDLE_EXPORT int pthread_setname_np(pthread_t handle, const char* name) {
  if (!controlled()) return real::pthread_setname_np(handle, name);
  const std::size_t length = strlen(name);
  if (length >= kNameCapacity) return ERANGE;
  const TaskId task = known_task_of(handle, HEDDLE_CALLER);
  if (task == kNoTask) return ESRCH;
  set_name(task, name, length);
  return 0;
}

HEDDLE_EXPORT int pthread_getname_np(pthread_t handle, char* buffer, size_t size) {
  if (!controlled()) return real::pthread_getname_np(handle, buffer, size);
  if (size < kNameCapacity) return ERANGE;
  const TaskId task = known_task_of(handle, HEDDLE_CALLER);
  if (task == kNoTask) return ESRCH;
  record_told_apart(task);
  const TaskData& data = heddle::runtime::runtime.tasks[task];
  const char* name = data.named ? data.name : program_invocation_short_name;
  if (!can_write(buffer, kNameCapacity)) return EFAULT;
  snprintf(buffer, kNameCapacity, "%s", name);
  return 0;
}

HEDDLE_EXPORT int prctl(int option, ...) {
  va_list list;
  va_start(list, option);
  SystemCall call{SYS_prctl, {option}};
  for (int i = 1; i < 5; ++i) call.arguments[i] = va_arg(list, long);
  va_end(list);
  const long* const a = call.arguments;
  if (controlled() && (is_about_name(call) || is_about_death_signal(call)))
    return static_cast<int>(as_libc_returns(perform_process_control(call, 0)));
  return real::prctl(option, a[1], a[2], a[3], a[4]);
}
