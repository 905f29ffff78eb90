// mlockall(). The runtime reserves address space by the ten gigabytes, which the kernel would fill with memory and keep
// there. What it is for, that no page fault takes time, does not show in virtual time.
#include <errno.h>
#include <sys/mman.h>

#include "runtime/intercept/intercept.h"
#include "runtime/os/system_call.h"

using namespace heddle::runtime;

namespace {

// Would the kernel let this process lock anything? Asked by locking a page of our own code, and unlocking it again.
int may_lock() {
  constexpr std::uintptr_t kPage = 4096;
  const auto page = static_cast<long>(reinterpret_cast<std::uintptr_t>(&may_lock) & ~(kPage - 1));
  const long locked = heddle::os::system_call(SYS_mlock, page, kPage);
  if (locked != 0) return static_cast<int>(-locked);
  heddle::os::system_call(SYS_munlock, page, kPage);
  return 0;
}

}  // namespace

// Everything is taken for locked. That it would have been too much for the limit is not seen (LIMITATIONS).
HEDDLE_EXPORT int mlockall(int flags) noexcept {
  if (!controlled()) return real::mlockall(flags);
  constexpr int kKnown = MCL_CURRENT | MCL_FUTURE | MCL_ONFAULT;
  const bool sense = flags != 0 && (flags & ~kKnown) == 0 && flags != MCL_ONFAULT;
  return through_errno(sense ? may_lock() : EINVAL);
}
