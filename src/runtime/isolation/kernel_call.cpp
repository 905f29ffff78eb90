// See kernel_call.h.
#include "runtime/isolation/kernel_call.h"

#include <errno.h>
#include <sys/uio.h>

#include "runtime/isolation/snapshot.h"
#include "runtime/os/system_call.h"
#include "runtime/user_memory.h"

namespace heddle::runtime {
namespace {

// readv() and its kin.
void before_scattered_writes(const SystemCall& call) {
  constexpr long kMostParts = 1024;  // the kernel's own limit
  if (call.arguments[2] <= 0 || call.arguments[2] > kMostParts ||
      !can_read(reinterpret_cast<const void*>(call.arguments[1]),
                static_cast<std::size_t>(call.arguments[2]) * sizeof(iovec)))
    return;
  const auto* part = reinterpret_cast<const iovec*>(call.arguments[1]);
  for (long left = call.arguments[2]; left > 0; --left, ++part)
    before_kernel_writes(reinterpret_cast<std::uintptr_t>(part->iov_base), part->iov_len);
}

}  // namespace

long call_kernel(const SystemCall& call) {
  const long* const a = call.arguments;
  const KernelOutput output = output_of(call);
  before_kernel_writes(output.address, output.bytes);
  if (call.number == SYS_readv || call.number == SYS_preadv || call.number == SYS_preadv2)
    before_scattered_writes(call);
  long result = os::system_call(call.number, a[0], a[1], a[2], a[3], a[4], a[5]);
  if (result != -EFAULT || !on_snapshot()) return result;
  // A protected page that output_of() does not know of. The call has failed before it did anything.
  constexpr std::size_t kRoom = 4096;
  for (const long argument : call.arguments) before_kernel_writes(static_cast<std::uintptr_t>(argument), kRoom);
  return os::system_call(call.number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

}  // namespace heddle::runtime
