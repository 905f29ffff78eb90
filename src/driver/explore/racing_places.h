// The places whose accesses were seen to race. They tell races apart, and some of them become scheduling points.
#pragma once

#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/targets.h"
#include "trace/code_place.h"
#include "trace/execution.h"
#include "trace/modules.h"

namespace heddle {

class RacingPlaces {
 public:
  // `points`: those that are scheduling points already. `benign`: the variables on which races do no harm (--benign).
  // `modules`: the files that are loaded by now.
  RacingPlaces(const std::vector<CodePlace>& points, std::string_view benign, std::function<ModuleMap()> modules)
      : points_(points.begin(), points.end()), benign_({}, benign, std::move(modules)) {}

  // Of its races, those between places that were not seen before. Their places are points from here on. `randomized`:
  // each process has other addresses. An execution in ten thousand has a new one.
  std::vector<const ExecutionRace*> take_new(const Execution& execution, bool randomized, const ModuleMap& modules);
  // The names of `benign` on whose variables races were seen; and a sentence for each other one.
  std::vector<std::string> benign() const { return benign_.variables_that_match(true); }
  std::vector<std::string> about_benign() const;
  // Has enough been run since the search began to have seen most of the places that race? `at_first` schedules are the
  // first time. Half as often with each time that it begins anew, and then no more.
  bool is_collected(std::uint64_t at_first) const;
  void count(const Execution& execution);
  void collect_anew();
  // Why not all orders of racing accesses can be explored; empty: they can.
  const std::string& orders_missed() const { return orders_missed_; }
  // Are there more points than these?
  bool has_more_than(const std::vector<CodePlace>& points) const { return points_.size() != points.size(); }
  std::vector<CodePlace> points() const { return {points_.begin(), points_.end()}; }
  // What was found was none, as far as is known: `points` are left. What is found again is a point once more.
  void forget(const std::vector<CodePlace>& points);

  template <typename Self, typename Archive>
  static void transfer(Self& self, Archive& archive) {
    archive(self.races_, self.ordered_, self.points_, self.restarts_, self.executions_, self.steps_);
  }

 private:
  void add_point(const CodePlace& place, bool randomized);

  std::set<std::pair<CodePlace, CodePlace>> races_;
  std::set<std::pair<CodePlace, CodePlace>> ordered_;      // one frees what the other uses: the same pair may also race
  std::set<std::pair<CodePlace, CodePlace>> meant_races_;  // the program says that they are benign
  std::string orders_missed_;
  std::set<CodePlace> points_;
  Targets benign_;
  unsigned restarts_ = 0;
  std::uint64_t executions_ = 0, steps_ = 0;  // since the last
};

}  // namespace heddle
