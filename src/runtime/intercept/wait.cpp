// wait(), waitpid() and their kin (system_calls/child_waits.h).
#include <sys/resource.h>
#include <sys/wait.h>

#include "runtime/intercept/intercept.h"
#include "runtime/system_calls/child_waits.h"

using namespace heddle;
using namespace heddle::runtime;

namespace {

pid_t wait_as(pid_t process, int* status, int options, rusage* usage, Site site) {
  const long arguments[] = {process, reinterpret_cast<long>(status), options, reinterpret_cast<long>(usage)};
  return static_cast<pid_t>(as_libc_returns(wait_for_child(arguments, site)));
}

}  // namespace

HEDDLE_EXPORT pid_t wait(int* status) {
  if (!controlled()) return real::wait(status);
  return wait_as(-1, status, 0, nullptr, HEDDLE_CALLER);
}

HEDDLE_EXPORT pid_t waitpid(pid_t process, int* status, int options) {
  if (!controlled()) return real::waitpid(process, status, options);
  return wait_as(process, status, options, nullptr, HEDDLE_CALLER);
}

HEDDLE_EXPORT pid_t wait3(int* status, int options, struct rusage* usage) {
  if (!controlled()) return real::wait3(status, options, usage);
  return wait_as(-1, status, options, usage, HEDDLE_CALLER);
}

HEDDLE_EXPORT pid_t wait4(pid_t process, int* status, int options, struct rusage* usage) {
  if (!controlled()) return real::wait4(process, status, options, usage);
  return wait_as(process, status, options, usage, HEDDLE_CALLER);
}

HEDDLE_EXPORT int waitid(idtype_t type, id_t id, siginfo_t* info, int options) {
  if (!controlled()) return real::waitid(type, id, info, options);
  const long arguments[] = {type, static_cast<long>(id), reinterpret_cast<long>(info), options, 0};
  return static_cast<int>(as_libc_returns(wait_for_child_id(arguments, HEDDLE_CALLER)));
}
