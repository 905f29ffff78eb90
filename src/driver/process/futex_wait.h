// Waiting for one of several words of shared memory.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <vector>

namespace heddle {

// Sleeps until one of the words no longer holds `value`, is woken, or `limit` is over. At most 128 words count. A
// kernel without futex_waitv (before Linux 5.16) sleeps a millisecond at most.
void wait_for_any(const std::vector<std::atomic<std::uint32_t>*>& words, std::uint32_t value,
                  std::chrono::milliseconds limit);

}  // namespace heddle
