// libc's syscall(): the way by which libstdc++ (latches, semaphores, futures, atomic waits) reaches futexes.
#include <linux/futex.h>
#include <stdarg.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "runtime/inputs.h"
#include "runtime/intercept/intercept.h"

using namespace heddle;
using namespace heddle::runtime;

namespace heddle::runtime {
namespace {

constexpr std::uint32_t kAllBits = ~std::uint32_t{0};

struct FutexCall {
  std::uint32_t* word;
  int operation;
  std::uint32_t value;
  const timespec* time;
  std::uint32_t* word2;
  std::uint32_t bits;
};

long through_errno_long(std::int32_t error) {
  if (error == 0) return 0;
  errno = error;
  return -1;
}

long wait(const FutexCall& call, bool absolute, std::uint32_t bits, Site site) {
  if (call.time != nullptr && (!valid(*call.time) || call.time->tv_sec < 0)) return through_errno_long(EINVAL);
  model::Operation wait =
      operation(OperationKind::FutexWait, find_by_address(ObjectKind::Futex, call.word, site), site);
  wait.word = call.word;
  wait.expected = call.value;
  wait.argument = bits;
  const clockid_t clock = (call.operation & FUTEX_CLOCK_REALTIME) != 0 ? CLOCK_REALTIME : CLOCK_MONOTONIC;
  wait.interruptible = model::Interrupt::Signal;
  if (call.time == nullptr) wait.interruptible |= model::Interrupt::Restart;
  if (call.time != nullptr) wait.deadline = absolute ? deadline_at(clock, call.time) : deadline_after(*call.time);
  return through_errno_long(perform(wait));
}

long wake(const FutexCall& call, std::uint32_t bits, Site site) {
  model::Operation wake =
      operation(OperationKind::FutexWake, find_by_address(ObjectKind::Futex, call.word, site), site);
  wake.argument = call.value | std::uint64_t{bits} << 32;
  return perform(wake);
}

long futex(const FutexCall& call, Site site) {
  switch (call.operation & FUTEX_CMD_MASK) {
    case FUTEX_WAIT:
      return wait(call, false, kAllBits, site);
    case FUTEX_WAIT_BITSET:
      return call.bits == 0 ? through_errno_long(EINVAL) : wait(call, true, call.bits, site);
    case FUTEX_WAKE:
      return wake(call, kAllBits, site);
    case FUTEX_WAKE_BITSET:
      return call.bits == 0 ? through_errno_long(EINVAL) : wake(call, call.bits, site);
    default:
      not_modelled("syscall(SYS_futex) with an operation other than wait and wake");
  }
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
    if (number == SYS_futex)
      return futex({reinterpret_cast<std::uint32_t*>(a[0]), static_cast<int>(a[1]), static_cast<std::uint32_t>(a[2]),
                    reinterpret_cast<const timespec*>(a[3]), reinterpret_cast<std::uint32_t*>(a[4]),
                    static_cast<std::uint32_t>(a[5])},
                   HEDDLE_CALLER);
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
