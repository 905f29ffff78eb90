// Calls about memory that don't reach the kernel: see memory_calls.h.
#include "runtime/world/memory_calls.h"

#include <sys/mman.h>
#include <sys/syscall.h>

#include "runtime/intercept/intercept.h"

using namespace heddle::runtime;

namespace {

// What libc's function returns; `real` makes the call where it is not answered.
template <typename Real>
int answered(const SystemCall& call, Real real) {
  long result = 0;
  return answer_memory_call(call, result) ? static_cast<int>(as_libc_returns(result)) : real();
}

long number_of(const void* address) { return reinterpret_cast<long>(address); }

}  // namespace

HEDDLE_EXPORT int madvise(void* address, size_t bytes, int advice) noexcept {
  if (!controlled()) return real::madvise(address, bytes, advice);
  return answered({SYS_madvise, {number_of(address), static_cast<long>(bytes), advice}},
                  [=] { return real::madvise(address, bytes, advice); });
}

HEDDLE_EXPORT int mlock(const void* address, size_t bytes) noexcept {
  if (!controlled()) return real::mlock(address, bytes);
  return answered({SYS_mlock, {number_of(address), static_cast<long>(bytes)}},
                  [=] { return real::mlock(address, bytes); });
}

HEDDLE_EXPORT int mlock2(const void* address, size_t bytes, unsigned flags) noexcept {
  if (!controlled()) return real::mlock2(address, bytes, flags);
  return answered({SYS_mlock2, {number_of(address), static_cast<long>(bytes), static_cast<long>(flags)}},
                  [=] { return real::mlock2(address, bytes, flags); });
}

HEDDLE_EXPORT int mlockall(int flags) noexcept {
  if (!controlled()) return real::mlockall(flags);
  return answered({SYS_mlockall, {flags}}, [=] { return real::mlockall(flags); });
}

HEDDLE_EXPORT int munlock(const void* address, size_t bytes) noexcept {
  if (!controlled()) return real::munlock(address, bytes);
  return answered({SYS_munlock, {number_of(address), static_cast<long>(bytes)}},
                  [=] { return real::munlock(address, bytes); });
}

HEDDLE_EXPORT int munlockall() noexcept {
  if (!controlled()) return real::munlockall();
  return answered({SYS_munlockall}, [] { return real::munlockall(); });
}
