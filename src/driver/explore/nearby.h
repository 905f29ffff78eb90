// Schedules near one that is known: its deltas come some steps earlier or later.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "trace/plan.h"

namespace heddle {

// One delta is moved, or two are, the nearest first. What comes behind a delta moves with it: the threads that it lets
// run take as many steps as before.
class Nearby {
 public:
  // `steps`: of the known schedule.
  Nearby(Deltas deltas, std::uint32_t steps);
  // Nothing: there are no more within kFarthest steps.
  std::optional<Deltas> next();

 private:
  static constexpr std::int64_t kFarthest = 64;  // steps that two deltas are moved together
  struct Move {
    std::size_t which;
    std::int64_t by;
  };
  void advance();
  std::optional<Deltas> moved(const std::vector<Move>& moves) const;

  Deltas deltas_;
  std::uint32_t steps_;
  std::vector<std::vector<Move>> ring_;  // all at the present distance
  std::size_t next_ = 0;                 // of them
  std::int64_t distance_ = 0;
};

}  // namespace heddle
