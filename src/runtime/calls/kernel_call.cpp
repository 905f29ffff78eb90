// See kernel_call.h.
#include "runtime/calls/kernel_call.h"

#include <errno.h>

#include "runtime/calls/kernel_output.h"
#include "runtime/os/system_call.h"
#include "runtime/snapshot/snapshot.h"
#include "runtime/state/runtime.h"

namespace heddle::runtime {

long call_kernel(const SystemCall& call) {
  const long* const a = call.arguments;
  before_kernel_answers(call);
  const long result = os::system_call(call.number, a[0], a[1], a[2], a[3], a[4], a[5]);
  if (result != -EFAULT || !on_snapshot()) return result;
  // A protected page that output_of() does not know of. The call has failed before it did anything.
  constexpr std::size_t kRoom = 4096;
  for (const long argument : call.arguments) before_kernel_writes(static_cast<std::uintptr_t>(argument), kRoom);
  return os::system_call(call.number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

}  // namespace heddle::runtime
