// How likely the next schedule that is drawn is one of a class that was not seen, where each is drawn like every other.
//
// Source: Good, The population frequencies of species and the estimation of population parameters, Biometrika 1953 (the
// share of classes seen once); Esty, A normal limit law for a nonparametric estimator of the coverage of a random
// sample, Annals of Statistics 1983 (how far it may be off). Where we deviate: the limit is for large samples. For
// small ones a constant is added, so the bound holds in at least 97 of 100 cases; a simulation among the tests shows
// it.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "analysis/graph_hash.h"

namespace heddle {

class ClassDraws {
 public:
  struct Chance {
    std::uint64_t draws = 0;
    double estimate = 0;  // from 0 to 1
    double at_most = 0;
  };

  void add(const GraphHash& hash) {
    // The first ones are drawn before the samplers know the program.
    if (full_ || ++draws_ <= kFirst) return;
    const std::uint8_t before = seen_[hash.a]++;
    once_ += before == 0 ? 1 : 0;
    if (before == 1) --once_, ++twice_;
    if (before == 2) --twice_;
    if (before >= kMany) seen_[hash.a] = kMany;
    full_ = seen_.size() >= kMax;
  }
  // Nothing, where too few or too many were drawn.
  std::optional<Chance> of_a_new_one() const {
    constexpr std::uint64_t kFewest = 100;
    constexpr double kDeviations = 2.5, kForSmallSamples = 4;
    if (full_ || draws_ < kFirst + kFewest) return {};
    const auto count = static_cast<double>(draws_ - kFirst);
    const auto once = static_cast<double>(once_), twice = static_cast<double>(twice_);
    const double at_most = (once + kDeviations * std::sqrt(once + 2 * twice) + kForSmallSamples) / count;
    return Chance{draws_ - kFirst, once / count, at_most < 1 ? at_most : 1};
  }
  template <typename Self, typename Archive>
  static void transfer(Self& self, Archive& archive) {
    archive(self.seen_, self.draws_, self.once_, self.twice_, self.full_);
  }

 private:
  static constexpr std::uint64_t kFirst = 16;
  static constexpr std::uint8_t kMany = 3;
  static constexpr std::size_t kMax = std::size_t{1} << 20;

  absl::flat_hash_map<std::uint64_t, std::uint8_t> seen_;  // how often each class was, up to kMany
  std::uint64_t draws_ = 0;
  std::uint64_t once_ = 0, twice_ = 0;  // so many classes were
  bool full_ = false;
};

}  // namespace heddle
