// The futex system call, wherever it is made: it checks the arguments as the kernel does, and maps the operations.
#include <linux/futex.h>
#include <sys/syscall.h>

#include "runtime/os/system_call.h"
#include "runtime/snapshot/snapshot.h"
#include "runtime/state/objects.h"
#include "runtime/state/operation.h"
#include "runtime/state/process_ids.h"
#include "runtime/state/up_calls.h"
#include "runtime/system_calls/perform.h"
#include "runtime/world/clock.h"

#ifndef FUTEX_LOCK_PI2
#define FUTEX_LOCK_PI2 13
#endif

namespace heddle::runtime {
namespace {

constexpr std::uint32_t kAllBits = ~std::uint32_t{0};
constexpr std::uintptr_t kFirstOfKernel = std::uintptr_t{1} << 47;
constexpr std::uintptr_t kFirstPages = 65536;  // nothing is ever mapped there

struct FutexCall {
  std::uint32_t* word;
  int operation;
  std::uint32_t value;
  const timespec* time;  // REQUEUE and WAKE_OP: a second number
  std::uint32_t* word2;
  std::uint32_t value3;

  int command() const { return operation & FUTEX_CMD_MASK; }
  bool is_private() const { return (operation & FUTEX_PRIVATE_FLAG) != 0; }
  bool by_realtime() const { return (operation & FUTEX_CLOCK_REALTIME) != 0; }
  std::uint32_t number2() const { return static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(time)); }
};

// Can the word be read? The kernel is asked by a call that only compares.
bool readable(const std::uint32_t* word) {
  return os::system_call(SYS_futex, reinterpret_cast<long>(word), FUTEX_CMP_REQUEUE_PRIVATE, 0, 0,
                         reinterpret_cast<long>(word), 0) != -EFAULT;
}

// Can it be written? Asked by a call that changes nothing.
bool writable(std::uint32_t* word) {
  std::uint32_t own = 0;
  if (!readable(word)) return false;
  before_kernel_writes(reinterpret_cast<std::uintptr_t>(word), sizeof *word);
  constexpr long kOrNothing = FUTEX_OP(FUTEX_OP_OR, 0, FUTEX_OP_CMP_EQ, 0);
  return os::system_call(SYS_futex, reinterpret_cast<long>(&own), FUTEX_WAKE_OP_PRIVATE, 1, 1,
                         reinterpret_cast<long>(word), kOrNothing) != -EFAULT;
}

// What the kernel says of an address before it does anything with it: 0 or -errno. -EFAULT also where it can't be read.
long check(const std::uint32_t* word) {
  const auto address = reinterpret_cast<std::uintptr_t>(word);
  if (address % sizeof *word != 0) return -EINVAL;
  if (address >= kFirstOfKernel) return -EFAULT;
  return knows_address(word) || readable(word) ? 0 : -EFAULT;
}

// The same for who does not look at the word. To the kernel the address of a private futex is a number only; nobody can
// wait where nothing can be read, so the call (true in `nobody`) has nothing to do.
long check_unread(const std::uint32_t* word, bool is_private, bool& nobody) {
  const long error = check(word);
  if (error != -EFAULT || !is_private || reinterpret_cast<std::uintptr_t>(word) >= kFirstOfKernel) return error;
  nobody = true;
  return 0;
}

long check_time(const timespec* time) {
  if (time == nullptr) return 0;
  const auto address = reinterpret_cast<std::uintptr_t>(time);
  if (address < kFirstPages || address >= kFirstOfKernel) return -EFAULT;
  return valid(*time) && time->tv_sec >= 0 ? 0 : -EINVAL;
}

ObjectId object_at(const std::uint32_t* word, Site site) { return find_by_address(ObjectKind::Futex, word, site); }

Nanoseconds deadline_of(const FutexCall& call, bool is_absolute) {
  if (call.time == nullptr) return kNoDeadline;
  if (!is_absolute) return deadline_after(*call.time);
  return deadline_at(call.by_realtime() ? CLOCK_REALTIME : CLOCK_MONOTONIC, call.time);
}

long wait(const FutexCall& call, bool is_absolute, std::uint32_t bits, Site site) {
  if (const long error = check_time(call.time); error != 0) return error;
  if (bits == 0) return -EINVAL;
  if (const long error = check(call.word); error != 0) return error;
  model::Operation wait = operation(OperationKind::FutexWait, object_at(call.word, site), site);
  wait.word = call.word;
  wait.expected = call.value;
  wait.argument = bits;
  wait.deadline = deadline_of(call, is_absolute);
  wait.interruptible = model::Interrupt::Signal;
  if (call.time == nullptr) wait.interruptible |= model::Interrupt::Restart;
  return -perform(wait);
}

long wake(const FutexCall& call, std::uint32_t bits, Site site) {
  if (bits == 0) return -EINVAL;
  bool nobody = false;
  if (const long error = check_unread(call.word, call.is_private(), nobody); error != 0 || nobody) return error;
  model::Operation wake = operation(OperationKind::FutexWake, object_at(call.word, site), site);
  wake.argument = call.value | std::uint64_t{bits} << 32;
  return perform(wake);
}

long requeue(const FutexCall& call, bool compares, Site site) {
  if (static_cast<std::int32_t>(call.value) < 0 || static_cast<std::int32_t>(call.number2()) < 0) return -EINVAL;
  bool nobody = false;
  if (const long error = check_unread(call.word, call.is_private() && !compares, nobody); error != 0) return error;
  if (const long error = check_unread(call.word2, call.is_private(), nobody); error != 0 || nobody) return error;
  model::Operation requeue = operation(OperationKind::FutexRequeue, object_at(call.word, site), site);
  requeue.object2 = object_at(call.word2, site);
  requeue.argument = call.value | std::uint64_t{call.number2()} << 32;
  requeue.word = compares ? call.word : nullptr;
  requeue.expected = call.value3;
  return perform(requeue);
}

long wake_operation(const FutexCall& call, Site site) {
  if (const long error = check(call.word); error != 0) return error;
  if (const long error = check(call.word2); error != 0) return error;
  if (!writable(call.word2)) return -EFAULT;
  model::Operation wake = operation(OperationKind::FutexWakeOperation, object_at(call.word, site), site);
  wake.object2 = object_at(call.word2, site);
  wake.argument = call.value | std::uint64_t{call.number2()} << 32;
  wake.word = call.word2;
  wake.expected = call.value3;
  return perform(wake);
}

// FUTEX_LOCK_PI takes its time by the realtime clock, without saying so.
long lock(const FutexCall& call, OperationKind kind, clockid_t clock, Site site) {
  const bool may_wait = kind == OperationKind::FutexLock;
  if (may_wait)
    if (const long error = check_time(call.time); error != 0) return error;
  if (const long error = check(call.word); error != 0) return error;
  if (!writable(call.word)) return -EFAULT;
  model::Operation lock = operation(kind, object_at(call.word, site), site);
  lock.word = call.word;
  lock.argument = thread_numbers().packed();
  if (may_wait && call.time != nullptr) lock.deadline = deadline_at(clock, call.time);
  return -perform(lock);
}

bool may_name_realtime(int command) {
  return command == FUTEX_WAIT_BITSET || command == FUTEX_WAIT_REQUEUE_PI || command == FUTEX_LOCK_PI2;
}

long futex(const FutexCall& call, Site site) {
  if (call.by_realtime() && !may_name_realtime(call.command())) return -ENOSYS;
  switch (call.command()) {
    case FUTEX_WAIT:
      return wait(call, false, kAllBits, site);
    case FUTEX_WAIT_BITSET:
      return wait(call, true, call.value3, site);
    case FUTEX_WAKE:
      return wake(call, kAllBits, site);
    case FUTEX_WAKE_BITSET:
      return wake(call, call.value3, site);
    case FUTEX_REQUEUE:
      return requeue(call, false, site);
    case FUTEX_CMP_REQUEUE:
      return requeue(call, true, site);
    case FUTEX_WAKE_OP:
      return wake_operation(call, site);
    case FUTEX_LOCK_PI:
      return lock(call, OperationKind::FutexLock, CLOCK_REALTIME, site);
    case FUTEX_LOCK_PI2:
      return lock(call, OperationKind::FutexLock, call.by_realtime() ? CLOCK_REALTIME : CLOCK_MONOTONIC, site);
    case FUTEX_TRYLOCK_PI:
      return lock(call, OperationKind::FutexTryLock, CLOCK_REALTIME, site);
    case FUTEX_UNLOCK_PI:
      return lock(call, OperationKind::FutexUnlock, CLOCK_REALTIME, site);
    case FUTEX_WAIT_REQUEUE_PI:
    case FUTEX_CMP_REQUEUE_PI:
      not_modelled("syscall(SYS_futex) with FUTEX_WAIT_REQUEUE_PI or FUTEX_CMP_REQUEUE_PI", site);
    default:
      return -ENOSYS;
  }
}

}  // namespace

long perform_futex(const SystemCall& call, Site site) {
  const long* const a = call.arguments;
  return futex({reinterpret_cast<std::uint32_t*>(a[0]), static_cast<int>(a[1]), static_cast<std::uint32_t>(a[2]),
                reinterpret_cast<const timespec*>(a[3]), reinterpret_cast<std::uint32_t*>(a[4]),
                static_cast<std::uint32_t>(a[5])},
               site);
}

}  // namespace heddle::runtime
