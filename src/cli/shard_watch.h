// Watches what the process of a farm's shard has started, and what it takes. It looks at the processes from outside, a
// few times a second: so it holds for any program, without rights, and with Heddle's large mappings, which a limit of
// address space would forbid. What a program takes between two looks is not prevented.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <string>

namespace heddle::cli {

// 0: no limit.
struct ShardLimits {
  std::uint64_t memory_bytes = 0;  // of all processes; what they write in the shard's folder counts, too
  unsigned processes = 0;          // and threads, at once
  double over_s = 0;               // after the shard's budget
};

class ShardWatch {
 public:
  ShardWatch() = default;
  // `first`: with all that descends from it. `budget_s`: of the shard.
  ShardWatch(const ShardLimits& limits, pid_t first, std::string folder, double budget_s);

  // Empty, or which limit is exceeded and what to do.
  std::string look();
  // Kills the children of the first process: where that is bubblewrap, the first one of the sandbox, and all of it with
  // that. It would come to the same if bubblewrap itself were killed, but where many processes come and go, that dies
  // slowly, and they go on meanwhile.
  void end() const;

 private:
  using Clock = std::chrono::steady_clock;

  ShardLimits limits_;
  pid_t first_ = 0;
  std::string folder_;
  Clock::time_point begun_, next_folder_;
  double budget_s_ = 0;
  std::uint64_t folder_bytes_ = 0;
};

}  // namespace heddle::cli
