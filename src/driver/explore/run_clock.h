// How long a run has taken, and how fast it has been lately.
#pragma once

#include <time.h>

#include <chrono>
#include <cstdint>

namespace heddle {

class RunClock {
 public:
  using Clock = std::chrono::steady_clock;

  // To within a few milliseconds, and cheap: this is asked after every execution.
  static double about_seconds_since(Clock::time_point begin) {
    timespec time{};
    clock_gettime(CLOCK_MONOTONIC_COARSE, &time);
    const auto now = std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
    return std::chrono::duration<double>(now - begin.time_since_epoch()).count();
  }
  static double seconds_since(Clock::time_point begin) {
    return std::chrono::duration<double>(Clock::now() - begin).count();
  }

  // Since heddle was started.
  double seconds() const { return seconds_since(started_); }
  double about_seconds() const { return about_seconds_since(started_); }
  // The program has come to where schedules branch.
  void branch() {
    if (branching_) return;
    branching_ = true;
    branched_ = told_ = Clock::now();
  }
  bool branching() const { return branching_; }
  double seconds_to_branching() const {
    return branching_ ? std::chrono::duration<double>(branched_ - started_).count() : 0;
  }
  double seconds_of_search() const { return branching_ ? seconds_since(branched_) : 0; }

  // Is it time to tell how far it is?
  bool is_due() const { return about_seconds_since(told_) >= kInterval; }
  // After so many schedules; returns how many a second there were of late.
  double tell(std::uint64_t schedules) {
    const double recent = static_cast<double>(schedules - reported_schedules_) / about_seconds_since(told_);
    rate_ = rate_ == 0 ? recent : 0.8 * rate_ + 0.2 * recent;
    told_ = Clock::now();
    reported_schedules_ = schedules;
    return rate_;
  }
  // They are counted from here on.
  void count_from(std::uint64_t schedules) { reported_schedules_ = schedules; }

 private:
  static constexpr double kInterval = 0.1;

  const Clock::time_point started_ = Clock::now();
  Clock::time_point branched_, told_;
  bool branching_ = false;
  std::uint64_t reported_schedules_ = 0;
  double rate_ = 0;
};

}  // namespace heddle
