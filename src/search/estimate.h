// How many schedules a search will have run when its present bound is complete, and how sure that is.
//
// A strategy gives a number (Strategy::estimated_total) that wanders as the search goes on: parts of a tree that come
// later are not like those that came first, and nobody can know how different. So the shown range follows what was
// seen. It spans the least and the greatest of the estimates in the second half of the schedules so far, and the
// strategy's own spread (Strategy::estimated_spread). On both sides it is widened by an eighth of the estimate (three
// eighths at the beginning of a bound). tests/unit/search/estimate_test.cpp says how often the truth lies within.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

namespace heddle {

struct Estimate {
  std::uint64_t total = 0;  // schedules, those run included
  std::uint64_t low = 0, high = 0;
  std::uint64_t others = 0;  // schedules that were run and are not among them: of other parts of the search
  // How many of those that it counts have been run, when so many have been in all; and how long the rest takes, in
  // seconds, at this rate of all schedules.
  std::uint64_t run_of(std::uint64_t schedules) const { return schedules - std::min(others, schedules); }
  double seconds_to_go(std::uint64_t schedules, double per_second) const;
};

class EstimateHistory {
 public:
  // After `done` schedules, at this bound, the estimate was `total` (0: there is none), and may be `spread` times more
  // or less (infinity: nothing can be said). Cheap; call it often.
  void note(std::uint64_t done, int bound, double total, double spread = 1);
  // Nothing before a few estimates at the present bound have been seen.
  std::optional<Estimate> estimate() const;
  template <typename Self, typename Archive>
  static void transfer(Self& self, Archive& archive) {
    archive(self.bound_, self.begun_at_, self.samples_, self.last_);
  }

 private:
  struct Sample {
    std::uint64_t done = 0;
    double total = 0;
    double spread = 1;
  };
  static constexpr std::uint64_t kFirst = 16;  // schedules at a bound before anything is said
  int bound_ = -1;
  std::uint64_t begun_at_ = 0;   // schedules when the bound was begun
  std::vector<Sample> samples_;  // at this bound; each at least a sixteenth later than the one before
  Sample last_;
};

}  // namespace heddle
