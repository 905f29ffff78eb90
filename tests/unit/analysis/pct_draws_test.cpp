// The bound on what schedules by random priorities miss: by simulation, since there the bug is known.
#include "analysis/pct_draws.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <vector>

namespace heddle::test {
namespace {

// Threads that never wait, each with so many steps. The bug: these steps come in this order.
struct Step {
  unsigned thread, number;
};
struct Case {
  unsigned threads, steps_each;
  std::vector<Step> bug;
  unsigned depth() const { return static_cast<unsigned>(bug.size()) - 1; }
};

// One schedule: section 3 of the paper. Does it hit the bug?
bool hits(const Case& program, unsigned depth, std::mt19937_64& random) {
  const unsigned length = program.threads * program.steps_each;
  std::vector<unsigned> priorities(program.threads), taken(program.threads, 0), changes(depth - 1);
  std::iota(priorities.begin(), priorities.end(), depth);
  std::shuffle(priorities.begin(), priorities.end(), random);
  for (unsigned& change : changes) change = static_cast<unsigned>(random() % length);
  std::vector<unsigned> when(program.bug.size());
  for (unsigned step = 0; step < length; ++step) {
    const auto best = [&] {
      unsigned thread = program.threads;
      for (unsigned one = 0; one < program.threads; ++one)
        if (taken[one] < program.steps_each && (thread == program.threads || priorities[one] > priorities[thread]))
          thread = one;
      return thread;
    };
    for (unsigned i = 0; i < changes.size(); ++i)
      if (changes[i] == step) priorities[best()] = i;
    const unsigned thread = best();
    for (std::size_t i = 0; i < when.size(); ++i)
      if (program.bug[i].thread == thread && program.bug[i].number == taken[thread]) when[i] = step;
    ++taken[thread];
  }
  return std::is_sorted(when.begin(), when.end());
}

double share_that_misses(const Case& program, unsigned schedules, unsigned trials, double& said) {
  std::mt19937_64 random(program.threads + schedules);
  unsigned missed = 0;
  for (unsigned trial = 0; trial < trials; ++trial) {
    PctDraws draws;
    bool hit = false;
    for (unsigned i = 0; i < schedules; ++i) {
      const unsigned depth = 2 + static_cast<unsigned>(random() % 4);
      draws.add(depth, program.threads * program.steps_each);
      hit = hits(program, depth, random) || hit;
    }
    missed += hit ? 0 : 1;
    said = draws.missed_at_most(program.depth(), program.threads, program.threads * program.steps_each);
  }
  return static_cast<double>(missed) / trials;
}

TEST(PctDraws, BugsAreMissedNoMoreOftenThanItSays) {
  const std::vector<Case> cases = {{2, 3, {{1, 0}, {0, 0}}},         {3, 2, {{2, 1}, {0, 0}}},
                                   {5, 1, {{4, 0}, {0, 0}}},         {2, 3, {{0, 1}, {1, 1}, {0, 2}}},
                                   {3, 2, {{0, 0}, {2, 1}, {0, 1}}}, {2, 3, {{0, 0}, {1, 1}, {0, 1}, {1, 2}}}};
  for (const Case& program : cases)
    for (const unsigned schedules : {10u, 50u, 300u}) {
      double said = 1;
      constexpr unsigned kTrials = 400;
      const double missed = share_that_misses(program, schedules, kTrials, said);
      EXPECT_LE(missed, said + 2.5 * std::sqrt(said * (1 - said) / kTrials) + 0.01)
          << program.threads << " threads, depth " << program.depth() << ", " << schedules << " schedules";
    }
}

TEST(PctDraws, SchedulesDrawnForTooFewStepsDoNotCount) {
  PctDraws draws;
  for (int i = 0; i < 100; ++i) draws.add(2, 10);
  EXPECT_LT(draws.missed_at_most(2, 2, 10), 0.01);
  EXPECT_EQ(draws.missed_at_most(2, 2, 11), 1);
  EXPECT_EQ(draws.missed_at_most(3, 2, 10), 1);
  EXPECT_EQ(draws.missed_at_most(1, 2, 10), draws.missed_at_most(2, 2, 10));
}

TEST(PctDraws, OneScheduleIsAsGoodAsTheTheoremSays) {
  PctDraws draws;
  draws.add(3, 20);
  EXPECT_DOUBLE_EQ(draws.missed_at_most(3, 4, 20), 1 - 1.0 / (4 * 20 * 20));
}

}  // namespace
}  // namespace heddle::test
