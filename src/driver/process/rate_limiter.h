// A rate limiter: it says yes once in each tick of the kernel's coarse clock (1 to 10 ms). It guards calls that cost a
// system call and would be made thousands of times a second. To ask it takes some nanoseconds.
#pragma once

#include <time.h>

namespace heddle {

class RateLimiter {
 public:
  bool is_due() {
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
    const bool same_tick = now.tv_nsec == last_.tv_nsec && now.tv_sec == last_.tv_sec;
    last_ = now;
    return !same_tick;
  }

 private:
  timespec last_{};
};

}  // namespace heddle
