// See futex_wait.h.
#include "driver/process/futex_wait.h"

#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <thread>

#ifndef SYS_futex_waitv
#define SYS_futex_waitv 449
#endif

namespace heddle {
namespace {

struct Waiter {  // the kernel's struct futex_waitv
  std::uint64_t value;
  std::uint64_t address;
  std::uint32_t flags;
  std::uint32_t reserved;
};
constexpr std::uint32_t kWord32 = 2;  // FUTEX_32, not private
constexpr std::size_t kMax = 128;

timespec in(std::chrono::milliseconds limit) {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);
  const long nanoseconds = time.tv_nsec + static_cast<long>(limit.count()) * 1'000'000;
  time.tv_sec += nanoseconds / 1'000'000'000;
  time.tv_nsec = nanoseconds % 1'000'000'000;
  return time;
}

}  // namespace

void wait_for_any(const std::vector<std::atomic<std::uint32_t>*>& words, std::uint32_t value,
                  std::chrono::milliseconds limit) {
  std::array<Waiter, kMax> waiters{};
  const std::size_t count = std::min(words.size(), kMax);
  for (std::size_t i = 0; i < count; ++i) waiters[i] = {value, reinterpret_cast<std::uint64_t>(words[i]), kWord32, 0};
  const timespec until = in(limit);
  if (syscall(SYS_futex_waitv, waiters.data(), count, 0, &until, CLOCK_MONOTONIC) < 0 && errno == ENOSYS)
    std::this_thread::sleep_for(std::min(limit, std::chrono::milliseconds(1)));
}

}  // namespace heddle
