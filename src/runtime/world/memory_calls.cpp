// See memory_calls.h.
#include "runtime/world/memory_calls.h"

#include <errno.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "protocol/page.h"
#include "runtime/os/rare.h"
#include "runtime/os/system_call.h"
#include "runtime/world/memory_limits.h"

#ifndef MLOCK_ONFAULT
#define MLOCK_ONFAULT 1
#endif

namespace heddle::runtime {
namespace {

constexpr long kPage = kPageBytes;

// --- locks

// Would the kernel let this process lock that memory? Asked by locking, without bringing pages in, and unlocking it.
long may_lock(long address, long bytes) {
  const long locked = os::system_call(SYS_mlock2, address, bytes, MLOCK_ONFAULT);
  os::system_call(SYS_munlock, address, bytes);  // also what was locked before an error was found
  return locked;
}

// Is all of it mapped? As the kernel counts pages; msync() without a wish looks, and does nothing.
long may_unlock(long address, long bytes) {
  const auto at = static_cast<std::uintptr_t>(address);
  const std::uintptr_t begin = at & ~std::uintptr_t{kPage - 1};
  const std::uintptr_t size =
      (static_cast<std::uintptr_t>(bytes) + at - begin + kPage - 1) & ~std::uintptr_t{kPage - 1};
  if (begin + size < begin) return -EINVAL;
  return size == 0 ? 0 : os::system_call(SYS_msync, static_cast<long>(begin), static_cast<long>(size), 0);
}

// The runtime reserves address space by the ten gigabytes, which the kernel would fill with memory. Everything is taken
// for locked: that it would have been too much for the limit is not seen (LIMITATIONS).
long lock_all(long flags) {
  constexpr long kKnown = MCL_CURRENT | MCL_FUTURE | MCL_ONFAULT;
  if (flags == 0 || (flags & ~kKnown) != 0 || flags == MCL_ONFAULT) return -EINVAL;
  return may_lock(static_cast<long>(reinterpret_cast<std::uintptr_t>(&may_lock) & ~std::uintptr_t{kPage - 1}), kPage);
}

// --- what is to become of memory in a child

struct Range {
  std::uintptr_t begin, end;
  long advice;  // MADV_WIPEONFORK or MADV_DONTFORK
};
constexpr unsigned kMostRanges = 512;

struct Ranges {
  Range all[kMostRanges];
  unsigned count = 0;

  // Takes [begin, end) out of what was advised so; 0 means every advice. False: there is no room for the pieces.
  bool remove(std::uintptr_t begin, std::uintptr_t end, long advice) {
    for (unsigned i = 0; i < count; ++i) {
      Range& range = all[i];
      if ((advice != 0 && range.advice != advice) || range.begin >= end || range.end <= begin) continue;
      const Range behind{end, range.end, range.advice};
      range.end = range.begin < begin ? begin : range.begin;
      if (behind.begin < behind.end && !add(behind)) return false;
      if (range.begin == range.end) all[i--] = all[--count];
    }
    return true;
  }

  bool add(const Range& range) {
    if (count == kMostRanges) return false;
    all[count++] = range;
    return true;
  }
};

struct ExecutionAdvice {
  Rare<Ranges> advised;
};
constinit ExecutionAdvice execution_advice{};

long opposite_of(long advice) {
  switch (advice) {
    case MADV_WIPEONFORK:
      return MADV_KEEPONFORK;
    case MADV_KEEPONFORK:
      return MADV_WIPEONFORK;
    case MADV_DONTFORK:
      return MADV_DOFORK;
    case MADV_DOFORK:
      return MADV_DONTFORK;
    default:
      return -1;
  }
}

// The kernel says whether it would, and is told the opposite before anything comes of it.
long advise(long address, long bytes, long advice) {
  const bool sets = advice == MADV_WIPEONFORK || advice == MADV_DONTFORK;
  const long result = os::system_call(SYS_madvise, address, bytes, advice);
  if (sets) os::system_call(SYS_madvise, address, bytes, opposite_of(advice));
  if (result != 0 || bytes == 0) return result;
  const auto begin = static_cast<std::uintptr_t>(address);
  const std::uintptr_t end = (begin + static_cast<std::uintptr_t>(bytes) + kPage - 1) & ~std::uintptr_t{kPage - 1};
  const long advice_set = sets ? advice : opposite_of(advice);
  if (!sets && !execution_advice.advised.used()) return 0;
  const bool room = execution_advice.advised->remove(begin, end, advice_set) &&
                    (!sets || execution_advice.advised->add({begin, end, advice}));
  return room ? 0 : -ENOMEM;  // as from a kernel that has none for one more mapping
}

}  // namespace

bool answer_memory_call(const SystemCall& call, long& result) {
  if (answer_limit_call(call, result)) return true;
  const long* const a = call.arguments;
  switch (call.number) {
    case SYS_madvise:
      if (opposite_of(a[2]) < 0) return false;
      result = advise(a[0], a[1], a[2]);
      return true;
    case SYS_mlock2:
      if ((a[2] & ~long{MLOCK_ONFAULT}) != 0) return false;  // the kernel refuses it
      [[fallthrough]];
    case SYS_mlock:
      result = may_lock(a[0], a[1]);
      return true;
    case SYS_mlockall:
      result = lock_all(a[0]);
      return true;
    case SYS_munlock:
      result = may_unlock(a[0], a[1]);
      return true;
    case SYS_munlockall:
      result = 0;
      return true;
    default:
      return false;
  }
}

void forget_advice(std::uintptr_t address, std::size_t bytes) {
  if (execution_advice.advised.used())
    execution_advice.advised->remove(address, address + ((bytes + kPage - 1) & ~std::size_t{kPage - 1}), 0);
}

void follow_advice_in_child() {
  if (!execution_advice.advised.used()) return;
  for (unsigned i = 0; i < execution_advice.advised->count; ++i) {
    const Range& range = execution_advice.advised->all[i];
    const auto address = static_cast<long>(range.begin), bytes = static_cast<long>(range.end - range.begin);
    if (range.advice == MADV_DONTFORK)
      os::system_call(SYS_munmap, address, bytes);
    else
      os::system_call(SYS_madvise, address, bytes, MADV_DONTNEED);
  }
}

}  // namespace heddle::runtime
