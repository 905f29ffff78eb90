// The estimate of how many schedules there will have been, against how many there were.
#include "search/estimate.h"

#include <gtest/gtest.h>

#include <deque>
#include <limits>
#include <vector>

#include "search/bounded.h"
#include "search/dpor.h"
#include "search/pretend_target.h"

namespace heddle::test {
namespace {

struct Said {
  std::uint64_t done;
  Estimate estimate;
};

struct AtBound {
  std::vector<Said> said;
  std::uint64_t truth = 0;  // schedules at the end of the bound
};

// What was said at each bound of a search, after each of its schedules. `reduce`: as it is by default.
std::vector<AtBound> estimates_of(const Program& program, bool reduce) {
  BoundedSearch::Options options;
  options.reduce = options.reduce_preemptions = reduce;
  BoundedSearch strategy(options);
  EstimateHistory history;
  std::vector<AtBound> result;
  std::uint64_t done = 0;
  for (Next next = strategy.next(); std::holds_alternative<Plan>(next); next = strategy.next()) {
    const auto bound = static_cast<std::size_t>(strategy.coverage().bound_in_progress);
    strategy.learn(execute(program, std::get<Plan>(next)));
    ++done;
    if (result.size() <= bound) result.resize(bound + 1);
    result[bound].truth = done;
    history.note(done, static_cast<int>(bound), strategy.estimated_total(), strategy.estimated_spread());
    if (const auto estimate = history.estimate()) result[bound].said.push_back({done, *estimate});
  }
  return result;
}

struct Score {
  std::size_t said = 0, held = 0, within_a_third = 0;
};

// All that is said from the first word on, each tenth of it.
void judge(const std::vector<AtBound>& bounds, Score& score) {
  for (const AtBound& at : bounds) {
    if (at.truth < 300 || at.said.size() < 20) continue;
    for (std::size_t tenth = 0; tenth < 10; ++tenth) {
      const Estimate& estimate = at.said[at.said.size() * tenth / 10].estimate;
      ++score.said;
      score.held += estimate.low <= at.truth && at.truth <= estimate.high ? 1 : 0;
      score.within_a_third += estimate.total * 3 >= at.truth * 2 && estimate.total * 3 <= at.truth * 4 ? 1 : 0;
    }
  }
}

TEST(EstimateTest, MostlyTheTruthLiesWithinWhatIsSaid) {
  for (const bool reduce : {false, true}) {
    Score score;
    for (std::uint64_t seed = 1; seed <= 600; ++seed) {
      const Program program = random_program(seed);
      if (enumerate(program, BoundedSearch::kNoBound, 3000).size() >= 300) judge(estimates_of(program, reduce), score);
    }
    ASSERT_GT(score.said, 300u);
    EXPECT_GE(score.held * 100, score.said * 97) << score.held << " of " << score.said;
    EXPECT_GE(score.within_a_third * 100, score.said * 97) << score.within_a_third << " of " << score.said;
  }
}

// How many schedules the bound behind those that are proved has, from the least bound at which anything is said.
struct NextBounds {
  std::size_t said = 0, held = 0;  // within a factor of ten
};

void judge_next_bounds(const Program& program, bool reduce, NextBounds& result) {
  constexpr double kFactor = 10;
  BoundedSearch::Options options;
  options.reduce = options.reduce_preemptions = reduce;
  BoundedSearch strategy(options);
  std::vector<double> predicted{0, 0};  // by bound
  std::vector<double> run;              // schedules of a bound
  const auto note = [&] {
    const Coverage coverage = strategy.coverage();
    const auto proved = static_cast<std::size_t>(coverage.bound_proved + 1);
    if (proved >= predicted.size()) predicted.resize(proved + 1);
    if (!coverage.complete) predicted[proved] = coverage.next_bound;
  };
  for (Next next = strategy.next(); std::holds_alternative<Plan>(next); next = strategy.next()) {
    const Execution execution = execute(program, std::get<Plan>(next));
    strategy.learn(execution);
    const std::size_t bound = execution.end.preemptions;
    if (run.size() <= bound) run.resize(bound + 1);
    ++run[bound];
    note();
  }
  for (std::size_t bound = 2; bound < std::min(run.size(), predicted.size()); ++bound) {
    if (predicted[bound] == 0 || run[bound] == 0) continue;
    ++result.said;
    result.held += predicted[bound] <= kFactor * run[bound] && run[bound] <= kFactor * predicted[bound] ? 1 : 0;
  }
}

TEST(EstimateTest, TheNextBoundIsOfTheSaidOrderOfMagnitude) {
  for (const bool reduce : {false, true}) {
    NextBounds bounds;
    for (std::uint64_t seed = 1; seed <= 600; ++seed) {
      const Program program = random_program(seed);
      const std::size_t schedules = enumerate(program, BoundedSearch::kNoBound, 3000).size();
      if (schedules >= 300) judge_next_bounds(program, reduce, bounds);
    }
    EXPECT_GT(bounds.said, 80u) << reduce;
    EXPECT_GE(bounds.held * 100, bounds.said * 97) << bounds.held << " of " << bounds.said << ", reduce " << reduce;
  }
}

// Programs with tens of thousands of schedules.
TEST(EstimateTest, HoldsForLargeSearches) {
  using K = OperationKind;
  Program sections, queue;
  for (unsigned task = 0; task < 4; ++task) {
    std::vector<Call> calls, ends;
    for (unsigned i = 0; i < 3; ++i) calls.insert(calls.end(), {{K::MutexLock, 0}, {K::MutexUnlock, 0}});
    if (task < 3) sections.tasks.push_back(calls);
    for (unsigned i = 0; i < 2; ++i)
      ends.insert(
          ends.end(),
          {{K::SemaphoreWait, task % 2}, {K::MutexLock, 0}, {K::MutexUnlock, 0}, {K::SemaphorePost, 1 - task % 2}});
    if (task < 3) queue.tasks.push_back(ends);
  }
  for (Program* program : {&sections, &queue})
    for (unsigned task = 1; task < program->tasks.size(); ++task)
      program->tasks[0].push_back({OperationKind::ThreadJoin, task});
  queue.tasks[0].insert(queue.tasks[0].begin(), {{K::SemaphorePost, 0}, {K::SemaphorePost, 0}});
  Score score;
  for (const Program* program : {&sections, &queue}) judge(estimates_of(*program, true), score);
  ASSERT_GT(score.said, 60u);
  EXPECT_GE(score.held * 100, score.said * 95) << score.held << " of " << score.said;
}

TEST(EstimateTest, NothingIsSaidAsLongAsPartsDifferTooMuch) {
  EstimateHistory history;
  for (std::uint64_t done = 1; done < 100; ++done) history.note(done, 1, 5000, std::numeric_limits<double>::infinity());
  EXPECT_FALSE(history.estimate());
  for (std::uint64_t done = 100; done < 200; ++done) history.note(done, 1, 5000, 2);
  ASSERT_TRUE(history.estimate());
  EXPECT_LE(history.estimate()->low, 2500u);
  EXPECT_GE(history.estimate()->high, 10000u);
}

TEST(BatchMeansTest, NeighboursThatAreAlikeAreLessSure) {
  BatchMeans mixed, in_rows;
  for (int i = 0; i < 1024; ++i) {
    mixed.add(i % 2 == 0 ? 10 : 20);
    in_rows.add(i / 256 % 2 == 0 ? 10 : 20);
  }
  EXPECT_LT(mixed.error(), 0.01);
  EXPECT_GT(in_rows.error(), 0.8);
}

// What was said of a search by partial-order reduction, after each of its executions; `ahead` plans are out at a time.
AtBound estimates_by_dpor(const Program& program, std::size_t ahead) {
  DporSearch strategy(program.limits.early_timeouts());
  EstimateHistory history;
  std::deque<Execution> outstanding;
  AtBound result;
  for (;;) {
    Next next = strategy.next();
    if (auto* plan = std::get_if<Plan>(&next)) {
      outstanding.push_back(execute(program, *plan));
      if (outstanding.size() < ahead) continue;
    } else if (std::holds_alternative<Exhausted>(next)) {
      return result;
    }
    strategy.learn(outstanding.front());
    outstanding.pop_front();
    ++result.truth;
    history.note(result.truth, 0, strategy.estimated_total(), strategy.estimated_spread());
    if (const auto estimate = history.estimate()) result.said.push_back({result.truth, *estimate});
  }
}

Program sections(unsigned tasks, unsigned count) {
  Program program;
  program.limits.fair = false;
  program.tasks.resize(tasks);
  for (auto& calls : program.tasks)
    for (unsigned i = 0; i < count; ++i)
      calls.insert(calls.end(), {{OperationKind::MutexLock, 0}, {OperationKind::MutexUnlock, 0}});
  return program;
}

// Branches of early states are found late, so nothing is known before about a tenth has been run; from a quarter on the
// truth lies within what is said.
TEST(EstimateTest, OfPartialOrderReductionFromAQuarterOn) {
  std::vector<Program> programs = {sections(2, 6), sections(3, 3), sections(4, 2)};
  for (const std::uint64_t seed : {337u, 931u, 1807u, 2137u}) programs.push_back(mixed_program(seed, seed % 2 != 0));
  std::size_t said = 0, held = 0, within_a_factor_of_3 = 0;
  for (const Program& program : programs)
    for (const std::size_t ahead : {1u, 256u}) {
      const AtBound at = estimates_by_dpor(program, ahead);
      if (at.truth < 300) continue;
      for (const Said& one : at.said) {
        if (one.done * 4 < at.truth) continue;
        const Estimate& estimate = one.estimate;
        ++said;
        held += estimate.low <= at.truth && at.truth <= estimate.high ? 1 : 0;
        within_a_factor_of_3 += estimate.total * 3 >= at.truth && estimate.total <= at.truth * 3 ? 1 : 0;
      }
    }
  ASSERT_GT(said, 5'000u);
  EXPECT_GE(held * 100, said * 97);
  EXPECT_GE(within_a_factor_of_3 * 100, said * 85);
}

TEST(EstimateTest, NothingIsSaidBeforeThereIsSomethingToGoBy) {
  EstimateHistory history;
  EXPECT_FALSE(history.estimate());
  history.note(1, 0, 0);
  EXPECT_FALSE(history.estimate());
  history.note(5, 1, 40);
  EXPECT_FALSE(history.estimate());
}

TEST(EstimateTest, ItIsNeverLessThanWhatWasRun) {
  EstimateHistory history;
  for (std::uint64_t done = 1; done < 200; ++done) history.note(done, 1, 100);
  ASSERT_TRUE(history.estimate());
  EXPECT_EQ(history.estimate()->total, 199u);
  EXPECT_EQ(history.estimate()->low, 199u);
}

TEST(EstimateTest, AnEstimateThatWandersHasAWideSpread) {
  EstimateHistory steady, wandering;
  for (std::uint64_t done = 1; done <= 1000; ++done) {
    steady.note(done, 1, 5000);
    wandering.note(done, 1, 1000.0 + 4.0 * static_cast<double>(done));
  }
  EXPECT_EQ(steady.estimate()->low, 3734u);
  EXPECT_EQ(steady.estimate()->high, 6265u);
  EXPECT_LT(wandering.estimate()->low, 3000u);
  EXPECT_EQ(wandering.estimate()->high, 6265u);
}

TEST(EstimateTest, WhatIsBeyondAllNumbersIsTheGreatest) {
  for (const double total : {1e30, std::numeric_limits<double>::infinity()}) {
    EstimateHistory history;
    for (std::uint64_t done = 1; done <= 100; ++done) history.note(done, 1, done < 60 ? 6300 : total);
    ASSERT_TRUE(history.estimate());
    EXPECT_EQ(history.estimate()->total, 1'000'000'000'000'000'000u);
    EXPECT_EQ(history.estimate()->high, 1'000'000'000'000'000'000u);
    EXPECT_LE(history.estimate()->low, history.estimate()->total);
  }
}

TEST(EstimateTest, ANewBoundBeginsAnew) {
  EstimateHistory history;
  for (std::uint64_t done = 1; done <= 100; ++done) history.note(done, 1, 5000);
  history.note(101, 2, 90000);
  EXPECT_FALSE(history.estimate());
}

}  // namespace
}  // namespace heddle::test
