// The chance that the next draw is of a class that was not seen: by simulation, since the truth is known there.
#include "analysis/class_draws.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <vector>

namespace heddle::test {
namespace {

// How likely each class is.
using Shares = std::vector<double>;

Shares of_equal(std::size_t classes) { return Shares(classes, 1.0); }
Shares of_falling(std::size_t classes, double power) {
  Shares shares;
  for (std::size_t i = 1; i <= classes; ++i) shares.push_back(std::pow(static_cast<double>(i), -power));
  return shares;
}
Shares of_halving(std::size_t classes) {
  Shares shares;
  for (std::size_t i = 0; i < classes; ++i) shares.push_back(std::pow(0.5, static_cast<double>(i)));
  return shares;
}

struct Outcome {
  unsigned held = 0;      // the truth was at most what was said
  double mean_error = 0;  // of the estimate, from 0 to 1
};

Outcome simulate(const Shares& shares, std::size_t draws, unsigned trials) {
  double sum = 0;
  for (const double share : shares) sum += share;
  std::mt19937_64 random(shares.size() + draws);
  std::discrete_distribution<std::size_t> draw(shares.begin(), shares.end());
  Outcome outcome;
  for (unsigned trial = 0; trial < trials; ++trial) {
    ClassDraws classes;
    std::vector<bool> seen(shares.size());
    for (std::size_t i = 0; i < draws; ++i) {
      const std::size_t one = draw(random);
      if (i >= 16) seen[one] = true;  // the first draws don't count
      classes.add({one * 0x9e3779b97f4a7c15u + 1, 0});
    }
    double unseen = 0;
    for (std::size_t i = 0; i < shares.size(); ++i) unseen += seen[i] ? 0 : shares[i] / sum;
    const auto chance = classes.of_a_new_one();
    EXPECT_TRUE(chance.has_value());
    if (!chance) break;
    outcome.held += unseen <= chance->at_most ? 1 : 0;
    outcome.mean_error += std::abs(chance->estimate - unseen) / trials;
  }
  return outcome;
}

TEST(ClassDraws, TheBoundHoldsInAtLeast97Of100Cases) {
  constexpr unsigned kTrials = 200;
  const std::vector<std::pair<std::string, Shares>> all = {{"two", of_equal(2)},
                                                           {"ten", of_equal(10)},
                                                           {"a hundred", of_equal(100)},
                                                           {"a thousand", of_equal(1000)},
                                                           {"many", of_equal(20'000)},
                                                           {"falling slowly", of_falling(10'000, 0.5)},
                                                           {"falling", of_falling(10'000, 1)},
                                                           {"falling fast", of_falling(10'000, 2)},
                                                           {"halving", of_halving(40)}};
  for (const auto& [name, shares] : all)
    for (const std::size_t draws : {116u, 300u, 1'000u}) {
      const Outcome outcome = simulate(shares, draws, kTrials);
      EXPECT_GE(outcome.held * 100, kTrials * 97) << name << ", " << draws << " draws";
      EXPECT_LT(outcome.mean_error, 0.06) << name << ", " << draws << " draws";
    }
}

TEST(ClassDraws, ItSaysLittleOfFewDrawsAndMoreOfMany) {
  ClassDraws classes;
  for (std::uint64_t i = 0; i < 115; ++i) classes.add({i % 3 + 1, 0});
  EXPECT_FALSE(classes.of_a_new_one().has_value()) << "too few";
  classes.add({1, 0});
  const auto few = classes.of_a_new_one();
  ASSERT_TRUE(few.has_value());
  for (std::uint64_t i = 0; i < 10'000; ++i) classes.add({i % 3 + 1, 0});
  const auto many = classes.of_a_new_one();
  ASSERT_TRUE(many.has_value());
  EXPECT_EQ(many->estimate, 0);
  EXPECT_LT(many->at_most, 0.001);
  EXPECT_LT(many->at_most * 20, few->at_most);
}

}  // namespace
}  // namespace heddle::test
