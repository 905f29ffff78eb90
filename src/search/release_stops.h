// Stops behind releases, for code that is not instrumented.
//
// What such code does behind an unlock, a post or a signal belongs to the same piece as that: in `unlock; stop = true;
// notify_all()` nobody can come between the unlock and the store. So the search also stops a thread there (kStop), lets
// the others go on, and lets the thread go on at each later step. A stop costs one preemption.
//
// These schedules are samples, and no claim rests on them. What a thread does behind a stop is not seen, so neither
// the states of such a schedule nor what its operations race with says anything about the others, and nothing there is
// pruned. So their number is bounded: at each place there are so many stops, and so many ways to go on from them; and
// only the first executions of a search are looked at.
#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <map>

#include "search/frontier.h"
#include "trace/execution.h"

namespace heddle {

class ReleaseStops {
 public:
  struct Options {
    unsigned at_each_place = 0;  // 0: there are none
    // Is this a place where a thread may be stopped? Asked once for each step that is a release.
    std::function<bool(Site)> may_stop = {};
  };
  explicit ReleaseStops(const Options& options) : options_(options) {}

  // Does the schedule of this node have a stop in it?
  bool has_stop(const Deviations& nodes, Deviations::Id node) const;
  // The stops in an execution that has none, from `first` up to the step `end`. Each costs one more than `preemptions`.
  void add_stops(const Execution& execution, const Frontier::Outstanding& outstanding, std::uint32_t first,
                 std::uint32_t end, Frontier& frontier);
  // To be called for each execution that has one. If its last deviation is a stop: the thread goes on earlier. `most`:
  // preemptions there may be.
  void add_returns(const Execution& execution, const Frontier::Outstanding& outstanding, unsigned most,
                   Frontier& frontier);

  // The search begins anew.
  void restart();

  template <typename Self, typename Archive>
  static void transfer(Self& self, Archive& archive) {
    archive(self.looked_at_, self.waiting_, self.stops_, self.returns_);
  }

 private:
  // A release, and what its task does next. The first alone would not do: in code that is not optimized, all unlocks
  // may be in one function.
  struct Place {
    Site release = 0, next = 0;
    auto operator<=>(const Place&) const = default;
  };
  // Where the task that takes the step is next; 0: it takes no more.
  static Site next_site(const Execution& execution, std::uint32_t step);

  static constexpr unsigned kLookedAt = 4096;  // executions
  static constexpr unsigned kReturns = 4;      // at most so many for each stop that there may be

  bool active() const { return options_.at_each_place != 0 && looked_at_ < kLookedAt; }

  Options options_;
  std::uint32_t looked_at_ = 0;
  std::uint32_t waiting_ = 0;                       // schedules with a stop that have not come back; some may be lost
  std::map<Place, std::uint32_t> stops_, returns_;  // a place where nobody may be stopped is used up
  StateCursor cursor_;
};

}  // namespace heddle
