// See refused.h.
#include "runtime/calls/refused.h"

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "runtime/os/system_call.h"
#include "runtime/snapshot/snapshot.h"
#include "runtime/snapshot/user_memory.h"
#include "runtime/state/runtime.h"
#include "runtime/state/up_calls.h"
#include "runtime/world/undo.h"

namespace heddle::runtime {
namespace {

// What is shared with the driver, and what was reserved. Not the heap nor the stacks: these are the program's.
bool is_own(long address, long bytes) {
  const auto begin = static_cast<std::uintptr_t>(address);
  const std::uintptr_t end = begin + static_cast<std::uintptr_t>(bytes);
  const auto shared = reinterpret_cast<std::uintptr_t>(runtime.shared);
  return (begin < shared + sizeof(Shared) && end > shared) || os::reserved_overlaps(begin, end);
}

bool is_lost(long advice) { return advice == MADV_DONTNEED || advice == MADV_FREE || advice == MADV_REMOVE; }

bool takes_memory_away(const SystemCall& call) {
  const long* const a = call.arguments;
  switch (call.number) {
    case SYS_munmap:
      return is_own(a[0], a[1]);
    case SYS_mremap:
      return is_own(a[0], a[1]) || ((a[3] & MREMAP_FIXED) != 0 && is_own(a[4], a[2]));
    case SYS_mprotect:
    case SYS_pkey_mprotect:
      return (a[2] & (PROT_READ | PROT_WRITE)) != (PROT_READ | PROT_WRITE) && is_own(a[0], a[1]);
    case SYS_madvise:
      return is_lost(a[2]) && is_own(a[0], a[1]);
    case SYS_mmap:
      return (a[3] & MAP_FIXED) != 0 && is_own(a[0], a[1]);
    default:
      return false;
  }
}

// Does one of its answers go to somebody else than the caller: a handler of SIGSYS, a tracer, a supervisor? Or does it
// end the process?
bool has_other_answers(const sock_fprog& program) {
  if (!can_read(program.filter, program.len * sizeof *program.filter)) return false;
  for (unsigned i = 0; i < program.len; ++i) {
    const sock_filter& instruction = program.filter[i];
    const std::uint32_t action = instruction.k & SECCOMP_RET_ACTION_FULL;
    const bool answers = BPF_CLASS(instruction.code) == BPF_RET && BPF_RVAL(instruction.code) == BPF_K;
    if (answers && action != SECCOMP_RET_ALLOW && action != SECCOMP_RET_ERRNO && action != SECCOMP_RET_LOG) return true;
  }
  return false;
}

bool filters_with_other_answers(const SystemCall& call) {
  const long* const a = call.arguments;
  const bool by_prctl = call.number == SYS_prctl && a[0] == PR_SET_SECCOMP;
  if (!by_prctl && call.number != SYS_seccomp) return false;
  if (by_prctl ? a[1] == SECCOMP_MODE_STRICT : a[0] == SECCOMP_SET_MODE_STRICT) return true;
  if (by_prctl ? a[1] != SECCOMP_MODE_FILTER : a[0] != SECCOMP_SET_MODE_FILTER) return false;
  const auto* const program = reinterpret_cast<const sock_fprog*>(a[2]);
  return can_read(program, sizeof *program) && has_other_answers(*program);
}

}  // namespace

void refuse_blinding_call(const SystemCall& call) {
  const char* const why = takes_memory_away(call)            ? "takes away memory that is Heddle's own"
                          : filters_with_other_answers(call) ? "has the kernel trap its system calls (seccomp), as "
                                                               "Heddle does itself"
                                                             : nullptr;
  if (why == nullptr) return;
  char text[160];
  snprintf(text, sizeof text, "the program %s: the execution was ended there without a verdict", why);
  if (on_snapshot()) on_signal_mask();  // we are in a handler, where signals are blocked
  end_unjudged(runtime.current, text);
}

}  // namespace heddle::runtime
