// io_uring: the kernel carries out a ring's requests by threads of its own, which Heddle does not see. So a program
// that wants a ring gets the error of a kernel without io_uring, as some kernels and containers give it, and takes its
// other way. A ring from before the first thread can't be taken back.
#include <errno.h>
#include <stdio.h>

#include "runtime/ring/recorder.h"
#include "runtime/state/operation.h"
#include "runtime/state/up_calls.h"
#include "runtime/system_calls/perform.h"

namespace heddle::runtime {
namespace {

struct ExecutionIoRings {
  bool noted = false;
};
constinit ExecutionIoRings execution_io_rings{};

}  // namespace

long refuse_ring(const SystemCall&, Site site) {
  if (!execution_io_rings.noted) {
    execution_io_rings.noted = true;
    char text[200];
    const int size =
        snprintf(text, sizeof text,
                 "io_uring_setup{at %#lx} was answered with ENOSYS, as by a kernel without io_uring: Heddle "
                 "does not control rings (docs/API.md#syscall)",
                 site);
    record_message(MessageKind::Note, runtime.current, text, static_cast<std::size_t>(size));
  }
  return -ENOSYS;
}

long refuse_ring_use(const SystemCall&, Site site) { not_modelled("syscall(SYS_io_uring_enter)", site); }

}  // namespace heddle::runtime
