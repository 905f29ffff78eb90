// The choices in an execution that lead to the reversal of a race: what partial-order reduction would try.
//
// Source: GAMBIT (PPoPP 2010), figure 4, FindDporBacktrackingPoints. Where we deviate: the races are those of races.h.
// Where the second's task can't go on before the first of a race, figure 4 adds all tasks that can (lines 35 to 37);
// here the first step of a sequence that leads there is added. Races whose first step the execution shares with its
// parent are left out: the parent was expanded before they were known. So as a guide this is not all of figure 4.
#pragma once

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>

#include <cstdint>
#include <functional>
#include <utility>

#include "search/lookahead.h"
#include "search/races.h"

namespace heddle {

class Reversals {
 public:
  explicit Reversals(bool early_timeouts) : races_(early_timeouts) {}

  // The races of steps from `first` on; those that `counts` says count.
  void begin(const Execution& execution, std::uint32_t first, const std::function<bool(const Race&)>& counts);
  enum class Wanted { Yes, Conservatively, No };
  Wanted wanted(std::uint32_t step, TaskId task) const;

 private:
  Races races_;
  absl::flat_hash_set<std::pair<std::uint32_t, TaskId>> wanted_;
  absl::flat_hash_map<std::uint32_t, TaskId> led_to_;  // by the first step of a race
};

}  // namespace heddle
