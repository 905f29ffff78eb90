// libc's syscall(): the way by which libstdc++ (latches, semaphores, futures, atomic waits) reaches futexes.
#include <stdarg.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "runtime/inputs.h"
#include "runtime/intercept/futex.h"
#include "runtime/intercept/intercept.h"

using namespace heddle;
using namespace heddle::runtime;

namespace heddle::runtime {
namespace {

#ifndef SYS_futex_waitv
#define SYS_futex_waitv 449
#endif

// As libc's wrapper turns what the kernel says into errno.
long as_libc_returns(long result) {
  constexpr long kLastError = -4095;
  if (result >= 0 || result < kLastError) return result;
  errno = static_cast<int>(-result);
  return -1;
}

}  // namespace
}  // namespace heddle::runtime

HEDDLE_EXPORT long syscall(long number, ...) {
  va_list list;
  va_start(list, number);
  long a[6];
  for (long& argument : a) argument = va_arg(list, long);
  va_end(list);
  if (controlled()) {
    if (number == SYS_futex) return as_libc_returns(futex_call(a, HEDDLE_CALLER));
    if (number == SYS_futex_waitv) not_modelled("the system call futex_waitv");
    if (number == SYS_gettid) return gettid();
    if (number == SYS_getpid) return getpid();
    if (number == SYS_getppid) return getppid();
    SystemCall call;
    call.number = number;
    __builtin_memcpy(call.arguments, a, sizeof a);
    if (long result = 0; answer_input(call, result)) {
      if (result >= 0) return result;
      errno = static_cast<int>(-result);
      return -1;
    }
    if (number == SYS_sched_yield) return perform(OperationKind::Yield, kNoObject, HEDDLE_CALLER);
  }
  return real::syscall(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}
