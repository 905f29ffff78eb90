// Supervises a running target. It ends an execution that takes too long or prints too much, and the target itself only
// if there is no other way.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "driver/process/output_capture.h"
#include "driver/process/process.h"
#include "driver/process/rate_limiter.h"
#include "driver/process/watchdog.h"

namespace heddle {

class Supervisor {
 public:
  // `limit_s`: how long an execution (or the way to the first one) may take.
  Supervisor(double limit_s, std::string library) : watchdog_(limit_s, std::move(library)) {}

  // The target was started anew.
  void restart();
  // What is wrong with it; null: nothing. `busy`: it has work to do.
  const char* complaint(const Status& status, int process, bool busy, const OutputCapture& output);
  // Ends the present execution for this reason. `alone`: can it be ended without the target? False: the target is to be
  // ended.
  bool end_execution(const char* why, const Status& status, int process, bool alone);
  // Did we end the execution of this number? Then why() says why.
  bool has_ended(std::uint64_t execution) const { return number_ != 0 && number_ == execution; }
  const std::string& why() const { return why_; }
  std::vector<std::string> take_notes() { return watchdog_.take_notes(); }

 private:
  Watchdog watchdog_;
  RateLimiter output_checks_;
  // Of the execution that we ended last.
  std::uint64_t number_ = 0;
  std::chrono::steady_clock::time_point ended_at_;
  std::string why_;
};

// A handle on a process.
Descriptor open_process(pid_t process);

}  // namespace heddle
