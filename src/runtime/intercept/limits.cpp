// Limits of the process: those of its memory are the program's own (world/memory_limits.h), the others the kernel's.
#include <sys/resource.h>
#include <sys/syscall.h>

#include "runtime/intercept/intercept.h"
#include "runtime/world/memory_limits.h"

using namespace heddle::runtime;

namespace {

long number_of(const void* address) { return reinterpret_cast<long>(address); }

}  // namespace

HEDDLE_EXPORT int getrlimit(__rlimit_resource_t resource, rlimit* limit) noexcept {
  if (long result = 0;
      controlled() && answer_limit_call({SYS_getrlimit, {static_cast<long>(resource), number_of(limit)}}, result))
    return static_cast<int>(as_libc_returns(result));
  return real::getrlimit(resource, limit);
}

HEDDLE_EXPORT int setrlimit(__rlimit_resource_t resource, const rlimit* limit) noexcept {
  if (long result = 0;
      controlled() && answer_limit_call({SYS_setrlimit, {static_cast<long>(resource), number_of(limit)}}, result))
    return static_cast<int>(as_libc_returns(result));
  return real::setrlimit(resource, limit);
}

HEDDLE_EXPORT int prlimit(pid_t process, __rlimit_resource resource, const rlimit* wanted, rlimit* old) noexcept {
  const SystemCall call{SYS_prlimit64, {process, static_cast<long>(resource), number_of(wanted), number_of(old)}};
  if (long result = 0; controlled() && answer_limit_call(call, result))
    return static_cast<int>(as_libc_returns(result));
  return real::prlimit(process, resource, wanted, old);
}

// On this machine the same functions.
HEDDLE_EXPORT int getrlimit64(__rlimit_resource_t resource, rlimit64* limit) noexcept
    __attribute__((alias("getrlimit")));
HEDDLE_EXPORT int setrlimit64(__rlimit_resource_t resource, const rlimit64* limit) noexcept
    __attribute__((alias("setrlimit")));
HEDDLE_EXPORT int prlimit64(pid_t process, __rlimit_resource resource, const rlimit64* wanted, rlimit64* old) noexcept
    __attribute__((alias("prlimit")));
