// How likely it is that schedules by random priorities (PCT) have all missed a bug that there is.
//
// Source: Burckhardt, Kothari, Musuvathi, Nagarakatte, A Randomized Scheduler with Probabilistic Guarantees of Finding
// Bugs, ASPLOS 2010, theorem 9: with n threads and at most k steps, a schedule drawn with depth d hits a bug of depth d
// with a probability of at least 1 / (n k^(d-1)). The depth of a bug: in how many pairs of steps one must come before
// the other. Where we deviate: a bug of depth d is one of any greater depth, too, so each schedule of a greater depth
// counts by its own bound. A schedule was drawn for the longest execution known by then; it counts if none was longer
// in the end. The bound knows nothing of fairness, of time, and of who is woken: whoever asks sees to that.
#pragma once

#include <cmath>
#include <cstdint>
#include <map>
#include <utility>

namespace heddle {

class PctDraws {
 public:
  void add(std::uint32_t depth, std::uint32_t length) {
    if (drawn_.size() < kMostKinds || drawn_.contains({depth, length})) ++drawn_[{depth, length}];
  }
  // The probability that a bug of this depth was missed is at most so much, from 0 to 1.
  double missed_at_most(std::uint32_t depth, std::uint32_t threads, std::uint32_t steps) const {
    double log = 0;
    for (const auto& [kind, count] : drawn_) {
      const auto [drawn_depth, length] = kind;
      if (drawn_depth < depth || length < steps || length == 0 || threads == 0) continue;
      const double hit = 1.0 / (threads * std::pow(length, drawn_depth - 1.0));
      log += static_cast<double>(count) * std::log1p(-hit);
    }
    return std::exp(log);
  }
  template <typename Self, typename Archive>
  static void transfer(Self& self, Archive& archive) {
    archive(self.drawn_);
  }

 private:
  static constexpr std::size_t kMostKinds = 4096;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint64_t> drawn_;  // how many, by depth and length
};

}  // namespace heddle
