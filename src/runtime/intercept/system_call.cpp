// libc's syscall(): libstdc++ reaches futexes by it (latches, semaphores, futures, atomic waits).
#include <stdarg.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "runtime/intercept/calls.h"
#include "runtime/intercept/intercept.h"
#include "runtime/state/stacks.h"
#include "runtime/state/up_calls.h"
#include "runtime/system_calls/perform.h"
#include "runtime/world/inputs.h"
#include "runtime/world/memory_calls.h"

using namespace heddle;
using namespace heddle::runtime;

#ifndef SYS_futex_waitv
#define SYS_futex_waitv 449
#endif

constexpr long kSignalSetBytes = 8;  // of the kernel's sets

HEDDLE_EXPORT long syscall(long number, ...) {
  va_list list;
  va_start(list, number);
  long a[6];
  for (long& argument : a) argument = va_arg(list, long);
  va_end(list);
  if (controlled()) {
    SystemCall call{number, {a[0], a[1], a[2], a[3], a[4], a[5]}};
    if (number == SYS_futex) return as_libc_returns(perform_futex(call, HEDDLE_CALLER));  // also with one thread only
    if (number == SYS_futex_waitv) not_modelled("syscall(SYS_futex_waitv)", HEDDLE_CALLER);
    if (number == SYS_ptrace && a[0] == PTRACE_TRACEME) not_modelled("ptrace(PTRACE_TRACEME)", HEDDLE_CALLER);
    if (number == SYS_rt_sigprocmask && a[3] == kSignalSetBytes && signals_are_modelled() && !is_foreign_thread())
      return as_libc_returns(-change_mask(static_cast<int>(a[0]), reinterpret_cast<const sigset_t*>(a[1]),
                                          reinterpret_cast<sigset_t*>(a[2]), HEDDLE_CALLER));
    if (number == SYS_gettid) return gettid();
    if (number == SYS_getpid) return getpid();
    if (number == SYS_getppid) return getppid();
    if (long result = 0; answer_input(call, result) || answer_memory_call(call, result)) return as_libc_returns(result);
    if (is_modelled(call) && !is_foreign_thread()) return as_libc_returns(perform_system_call(call, HEDDLE_CALLER));
  }
  return real::syscall(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

// Of a process that is traced its parent, who is Heddle, would have to let each signal through.
HEDDLE_EXPORT long ptrace(__ptrace_request request, ...) noexcept {
  va_list list;
  va_start(list, request);
  long a[3];
  for (long& argument : a) argument = va_arg(list, long);
  va_end(list);
  if (controlled() && request == PTRACE_TRACEME) not_modelled("ptrace(PTRACE_TRACEME)", HEDDLE_CALLER);
  return real::ptrace(request, a[0], a[1], a[2]);
}
