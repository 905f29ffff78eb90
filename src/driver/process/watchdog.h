// Notices a target that makes no progress, and says why: it is blocked in the kernel where Heddle does not control it,
// or it computes without coming to a scheduling point. So no run hangs silently.
#pragma once

#include <chrono>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "protocol/shared.h"

namespace heddle {

class Watchdog {
 public:
  // `limit_s`: how long an execution (or the way to the first one) may take.
  Watchdog(double limit_s, std::string library);

  // The target was started anew.
  void restart();
  // Looks at the target, which is `process`; cheap unless it is stuck. Call it every 50 ms or so. `busy`: it has work
  // to do. True: what it is doing takes longer than the limit.
  bool overdue(const Status& status, int process, bool busy);
  std::vector<std::string> take_notes();

 private:
  using Clock = std::chrono::steady_clock;

  struct Phase {  // a time-out applies to one phase
    WorkerState state = WorkerState::Launched;
    std::uint64_t executions = 0;
    friend bool operator==(const Phase&, const Phase&) = default;
  };

  void exclude(Clock::duration unseen);
  void inspect(const Status& status, int process, bool at_the_end);
  void note_once(const std::string& text);

  std::chrono::duration<double> limit_;
  std::string library_;
  Phase phase_;
  Clock::time_point phase_began_;
  std::uint64_t heartbeat_ = 0;
  Clock::time_point last_progress_;
  Clock::time_point checked_;
  int inspections_ = 0;  // since the last progress
  std::set<std::string> noted_;
  std::vector<std::string> notes_;
};

}  // namespace heddle
