// The default search: whatever it claims holds on random programs, by brute force; and the same seed gives the same
// plans.
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "search/enumeration.h"
#include "search/pretend_target.h"
#include "search/seeds.h"
#include "search/strategies.h"

namespace heddle::test {
namespace {

struct Searched {
  Enumeration found;
  Coverage coverage;
  bool ended = false;
};

Searched search(Strategy& strategy, const Program& program, std::size_t most) {
  Searched result;
  for (Next next = strategy.next(); result.found.executions < most; next = strategy.next()) {
    const auto* const plan = std::get_if<Plan>(&next);
    if (plan == nullptr) {
      result.ended = true;
      break;
    }
    const Execution execution = execute(program, *plan);
    EXPECT_NE(execution.end.end, EndKind::Diverged) << program.text();
    if (execution.end.end != EndKind::Asleep) note(execution, result.found);
    strategy.learn(execution);
  }
  result.coverage = strategy.coverage();
  return result;
}

TEST(Automatic, WhatItClaimsOfRandomProgramsIsSo) {
  constexpr std::size_t kMost = 1'500;
  std::size_t complete = 0, bounds = 0;
  const Seeds range = seeds(200);
  for (std::uint64_t seed = range.first; seed < range.end && !HasFailure(); ++seed) {
    const Program program = mixed_program(seed, seed % 2 == 0);
    const auto all = brute_force(program, kMost);
    if (!all) continue;
    const std::string what = "seed " + std::to_string(seed) + ": " + program.text();
    const auto strategy = strategy_named("auto", {.seed = seed, .early_timeouts = program.limits.early_timeouts()});
    // Cut off anywhere: what is claimed then must hold, too.
    const Searched searched = search(*strategy, program, seed % 3 == 0 ? 20 + seed % 400 : 20 * kMost);
    const bool of_preemptions = strategy->proved_by()->promise.bounds == "preemption";  // else of delays
    const int bound = of_preemptions ? searched.coverage.bound_proved : -1;
    for (const auto& [graph, one] : all->classes) {
      const bool claimed = searched.coverage.complete || static_cast<int>(one.preemptions) <= bound;
      if (claimed && !searched.found.classes.contains(graph)) {
        ADD_FAILURE() << what << "not found: " << one.schedule;
        break;
      }
    }
    for (const auto& [graph, one] : searched.found.classes)
      if (!all->classes.contains(graph)) {
        ADD_FAILURE() << what << "does not exist: " << one.schedule;
        break;
      }
    complete += searched.coverage.complete ? 1 : 0;
    bounds += searched.coverage.bound_proved >= 0 ? 1 : 0;
    EXPECT_TRUE(!searched.ended || searched.coverage.complete) << what;
  }
  EXPECT_TRUE(range.fuzzing || (complete > 50 && bounds > 50)) << complete << " " << bounds;
}

// Larger than any part can exhaust here.
Program sections_of_six() {
  Program program;
  const Call lock{.kind = OperationKind::MutexLock}, unlock{.kind = OperationKind::MutexUnlock};
  program.tasks.assign(6, {lock, unlock, lock, unlock, lock, unlock});
  return program;
}

std::vector<std::string> first_schedules(std::uint64_t seed, const Program& program, std::size_t most) {
  const auto strategy = strategy_named("auto", {.seed = seed});
  std::vector<std::string> result;
  for (Next next = strategy->next(); std::holds_alternative<Plan>(next) && result.size() < most;
       next = strategy->next()) {
    const Plan& plan = std::get<Plan>(next);
    const Execution execution = execute(program, plan);
    result.push_back(std::string(strategy->part_of(plan.id)) + " " + text(schedule_of(execution)));
    strategy->learn(execution);
  }
  return result;
}

TEST(Automatic, SameSeedSameSchedules) {
  const Program program = sections_of_six();
  EXPECT_EQ(first_schedules(3, program, 300), first_schedules(3, program, 300));
  EXPECT_NE(first_schedules(3, program, 300), first_schedules(4, program, 300));
}

TEST(Automatic, EachPartRuns) {
  const Program program = sections_of_six();
  const auto strategy = strategy_named("auto", {.seed = 1});
  const Searched searched = search(*strategy, program, 4'000);
  EXPECT_FALSE(searched.ended);
  std::map<std::string_view, std::uint64_t> run;
  for (const PartReport& part : strategy->parts()) run[part.name] = part.schedules;
  EXPECT_EQ(run.size(), 9u);
  for (const auto& [name, schedules] : run) EXPECT_GT(schedules, 40u) << name;
  EXPECT_GT(run["bounded"], 1'000u);  // in the second half it has two thirds
}

// There are too many schedules without a preemption, and 331 with one delay at most.
TEST(Automatic, ManyThreadsStillBringAProof) {
  Program program;
  const Call lock{.kind = OperationKind::MutexLock}, unlock{.kind = OperationKind::MutexUnlock};
  program.tasks.assign(16, {lock, unlock, lock, unlock, lock, unlock, lock, unlock, lock, unlock});
  const auto strategy = strategy_named("auto", {.seed = 1});
  EXPECT_FALSE(search(*strategy, program, 3'000).ended);
  EXPECT_EQ(strategy->proved_by()->name, "delay");
  EXPECT_EQ(strategy->coverage().bound_proved, 1);
}

TEST(Automatic, BeginsAnewWithOtherWalks) {
  const Program program = random_program(5);
  const auto strategy = strategy_named("auto", {.seed = 1});
  search(*strategy, program, 60);
  ASSERT_TRUE(strategy->begin_anew());
  EXPECT_EQ(strategy->coverage().bound_proved, -1);
  const Searched again = search(*strategy, program, 100'000);
  EXPECT_TRUE(again.ended);
  EXPECT_TRUE(again.coverage.complete);
}

}  // namespace
}  // namespace heddle::test
