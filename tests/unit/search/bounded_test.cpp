// The bounded search against the enumeration by brute force: the same schedules, each once, whatever the order in which
// results come back.
#include "search/bounded.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <random>
#include <set>

#include "search/pretend_target.h"
#include "search/seeds.h"

namespace heddle::test {
namespace {

constexpr unsigned kUnbounded = BoundedSearch::kNoBound;

struct Searched {
  std::map<std::string, unsigned> schedules;  // with their preemptions
  std::size_t executions = 0;
  Coverage coverage;
  std::size_t nodes_left = 0;
  std::vector<unsigned> order;  // preemptions, in the order of running
};

// Runs a search to its end, up to `ahead` plans outstanding; with `shuffle`, results come back in any order.
Searched search(const Program& program, const BoundedSearch::Options& options, std::size_t ahead = 1,
                std::uint64_t shuffle = 0) {
  BoundedSearch strategy(options);
  std::mt19937_64 draw(shuffle);
  std::deque<Execution> outstanding;
  Searched result;
  for (;;) {
    Next next = strategy.next();
    if (auto* plan = std::get_if<Plan>(&next)) {
      outstanding.push_back(execute(program, *plan));
      const Execution& execution = outstanding.back();
      EXPECT_NE(execution.end.end, EndKind::Diverged) << program.text();
      result.schedules[text(schedule_of(execution))] = execution.end.preemptions;
      result.order.push_back(execution.end.preemptions);
      ++result.executions;
      if (outstanding.size() < ahead) continue;
    } else if (std::holds_alternative<Exhausted>(next)) {
      break;
    }
    if (outstanding.empty()) ADD_FAILURE() << "Wait without anything outstanding";
    if (outstanding.empty()) break;
    if (shuffle != 0) std::swap(outstanding.front(), outstanding[draw() % outstanding.size()]);
    strategy.learn(outstanding.front());
    outstanding.pop_front();
  }
  result.coverage = strategy.coverage();
  result.nodes_left = strategy.nodes_in_use();
  return result;
}

void expect_same(const std::map<std::string, unsigned>& expected, const Searched& found, const Program& program) {
  EXPECT_EQ(found.executions, found.schedules.size()) << "some schedule was run twice: " << program.text();
  EXPECT_EQ(found.nodes_left, 0u);
  EXPECT_EQ(found.coverage.pending, 0u);
  EXPECT_EQ(found.coverage.lost, 0u);
  if (found.schedules == expected) return;
  ADD_FAILURE() << program.text() << ": " << expected.size() << " schedules expected, " << found.schedules.size()
                << " run";
  for (const auto& [schedule, preemptions] : expected)
    if (found.schedules.count(schedule) == 0) {
      ADD_FAILURE() << "for example missing: " << schedule << "(" << preemptions << ")";
      return;
    }
}

class RandomPrograms : public testing::TestWithParam<unsigned> {};

TEST_P(RandomPrograms, EveryScheduleWithinTheBoundOnce) {
  const unsigned bound = GetParam();
  std::size_t compared = 0, schedules = 0;
  const Seeds range = seeds(300);
  for (std::uint64_t seed = range.first; seed < range.end; ++seed) {
    const Program program = random_program(seed);
    const auto expected = enumerate(program, bound, 1500);
    if (expected.empty()) continue;
    const Searched found = search(program, {.max_preemptions = bound});
    expect_same(expected, found, program);
    EXPECT_EQ(found.coverage.schedules_at_bound, expected.size());
    EXPECT_TRUE(std::is_sorted(found.order.begin(), found.order.end())) << "fewest preemptions come first";
    ++compared;
    schedules += expected.size();
    if (HasFailure()) break;
  }
  EXPECT_TRUE(compared > 50u || range.fuzzing);
  RecordProperty("schedules", static_cast<int>(schedules));
}

bool is_unpreemptible(Site site) { return site == kUnpreemptibleSite; }

TEST_P(RandomPrograms, ThreadsAreNotPreemptedWhereTheyAreNotToBe) {
  const unsigned bound = GetParam();
  std::size_t compared = 0, fewer = 0;
  const Seeds range = seeds(300);
  for (std::uint64_t seed = range.first; seed < range.end && !HasFailure(); ++seed) {
    const Program whole = random_program(seed);
    const Program scoped = with_scopes(whole, seed, seed % 2 == 0);
    const auto all = enumerate(whole, bound, 2'000);
    if (all.empty()) continue;
    const auto expected = enumerate(scoped, bound, 2'000);
    expect_same(expected, search(scoped, {.max_preemptions = bound, .no_preempt = is_unpreemptible}), scoped);
    expect_same(expected, search(scoped, {.max_preemptions = bound, .no_preempt = is_unpreemptible}, 8, seed), scoped);
    fewer += expected.size() < all.size() ? 1 : 0;
    ++compared;
  }
  if (range.fuzzing) return;
  EXPECT_GT(compared, 100u);
  if (bound != 0) {
    EXPECT_GT(fewer, 50u);
  }
}

INSTANTIATE_TEST_SUITE_P(Bounds, RandomPrograms, testing::Values(0u, 1u, 2u, 3u, kUnbounded));

TEST(BoundedSearch, OrderOfResultsDoesNotMatter) {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    const Program program = random_program(seed);
    const auto expected = enumerate(program, 2, 300);
    if (expected.empty()) continue;
    expect_same(expected, search(program, {.max_preemptions = 2}, 16, seed), program);
    if (HasFailure()) break;
  }
}

// A node counts its references up to 65,534, and stays when it had more.
TEST(BoundedSearch, ManyBranchesOfOneSchedule) {
  constexpr std::uint32_t kCalls = 70'000;
  Program program;
  program.tasks.assign(2, std::vector<Call>(kCalls, {OperationKind::SemaphorePost, 0}));
  BoundedSearch search({.max_preemptions = 1});
  std::set<std::string> schedules;
  for (int run = 0; run < 6; ++run) {
    const Execution execution = execute(program, std::get<Plan>(search.next()), 3 * kCalls);
    EXPECT_EQ(execution.end.end, EndKind::Exited);
    EXPECT_TRUE(schedules.insert(text(schedule_of(execution))).second);
    search.learn(execution);
  }
  EXPECT_GT(search.coverage().pending, std::uint64_t{kCalls} - 10);
  EXPECT_GE(search.nodes_in_use(), search.coverage().pending);
}

TEST(BoundedSearch, LittleMemoryCostsOnlyRevisits) {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    const Program program = random_program(seed);
    const auto expected = enumerate(program, 3, 300);
    if (expected.empty()) continue;
    const Searched found = search(program, {.max_preemptions = 3, .eager_nodes = 0}, 8, seed);
    EXPECT_EQ(found.schedules, expected) << program.text();
    EXPECT_EQ(found.coverage.schedules_at_bound, expected.size());
    EXPECT_LE(found.executions, 2 * expected.size());
    EXPECT_EQ(found.nodes_left, 0u);
    if (HasFailure()) break;
  }
}

// Which of two waiters is woken is a choice of its own, made by the signalling task.
TEST(BoundedSearch, EveryWaiterIsWokenOnce) {
  const std::vector<Call> waiter{
      {OperationKind::MutexLock, 0}, {OperationKind::ConditionWait, 0, 0}, {OperationKind::MutexUnlock, 0}};
  const Program program{{waiter, waiter, {{OperationKind::ConditionSignal, 0}}}, {}};
  const auto expected = enumerate(program, 1, 5000);
  ASSERT_FALSE(expected.empty());
  EXPECT_TRUE(std::any_of(expected.begin(), expected.end(),
                          [](const auto& entry) { return entry.first.find(".1") != std::string::npos; }));
  expect_same(expected, search(program, {.max_preemptions = 1}, 4, 1), program);
}

Program two_sections() {  // two tasks, two sections of one lock each
  const std::vector<Call> calls{{OperationKind::MutexLock, 0},
                                {OperationKind::MutexUnlock, 0},
                                {OperationKind::MutexLock, 0},
                                {OperationKind::MutexUnlock, 0}};
  return {{calls, calls}, {}};
}

TEST(BoundedSearch, CompleteOnlyWithoutABoundThatCuts) {
  const Searched bounded = search(two_sections(), {.max_preemptions = 1});
  EXPECT_FALSE(bounded.coverage.complete);
  EXPECT_EQ(bounded.coverage.bound_proved, 1);
  const Searched all = search(two_sections(), {});
  EXPECT_TRUE(all.coverage.complete);
  const Searched generous = search(two_sections(), {.max_preemptions = 50});
  EXPECT_TRUE(generous.coverage.complete);
  EXPECT_EQ(generous.executions, all.executions);
}

TEST(BoundedSearch, ABoundIsProvedOnlyWhenNothingOfItIsOutstanding) {
  BoundedSearch strategy({});
  EXPECT_EQ(strategy.coverage().bound_proved, -1);
  const Plan root = std::get<Plan>(strategy.next());
  EXPECT_TRUE(root.deltas.empty());
  EXPECT_TRUE(std::holds_alternative<Wait>(strategy.next()));
  EXPECT_EQ(strategy.coverage().bound_proved, -1);
  strategy.learn(execute(two_sections(), root));
  Next next = strategy.next();
  while (strategy.coverage().bound_in_progress == 0) {
    strategy.learn(execute(two_sections(), std::get<Plan>(next)));
    next = strategy.next();
  }
  EXPECT_EQ(strategy.coverage().bound_proved, 0);
  EXPECT_EQ(std::get<Plan>(next).deltas.size(), 1u);
}

struct Ran {
  Plan plan;
  unsigned preemptions;
};

std::vector<Ran> run_all(const Program& program, unsigned bound, bool landmarks) {
  BoundedSearch strategy({.max_preemptions = bound});
  std::vector<Ran> result;
  for (;;) {
    Next next = strategy.next();
    if (!std::holds_alternative<Plan>(next)) return result;
    Execution execution = execute(program, std::get<Plan>(next));
    if (landmarks) {
      RecordList<StateChange> changes;
      for (const StateChange& change : execution.changes) {
        changes.push_back(change);
        execution.landmarks.extend(changes);
      }
    }
    strategy.learn(execution);
    result.push_back({std::get<Plan>(next), execution.end.preemptions});
  }
}

// What costs a preemption comes in the order of its parents, and of one parent the latest step first.
TEST(BoundedSearch, NeighboursStayNeighboursInTheNextBound) {
  std::size_t compared = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    std::vector<Ran> all = run_all(random_program(seed), 2, false);
    std::size_t last_parent = 0;
    std::uint32_t last_step = 0;
    unsigned last_bound = 0;
    for (const Ran& ran : all) {
      if (ran.plan.deltas.empty()) continue;
      Deltas parent = ran.plan.deltas;
      parent.pop_back();
      const auto own =
          std::find_if(all.begin(), all.end(), [&](const Ran& other) { return other.plan.deltas == parent; });
      ASSERT_NE(own, all.end());
      if (own->preemptions == ran.preemptions) continue;  // it cost nothing: depth first
      const auto number = static_cast<std::size_t>(own - all.begin());
      const std::uint32_t step = ran.plan.deltas.back().step;
      if (ran.preemptions == last_bound) {
        EXPECT_GE(number, last_parent);
        EXPECT_TRUE(number != last_parent || step <= last_step);
        ++compared;
      }
      last_bound = ran.preemptions;
      last_parent = number;
      last_step = step;
    }
  }
  EXPECT_GT(compared, 500u);
}

TEST(BoundedSearch, LandmarksInLongExecutionsChangeNothing) {
  std::vector<Call> calls;
  for (int i = 0; i < 150; ++i) {
    calls.push_back({OperationKind::MutexLock, 0});
    calls.push_back({OperationKind::MutexUnlock, 0});
  }
  const Program program{{calls, calls, {{OperationKind::Yield}}}, {}};
  const std::vector<Ran> without = run_all(program, 1, false), with = run_all(program, 1, true);
  EXPECT_GT(without.size(), 600u);
  ASSERT_EQ(without.size(), with.size());
  for (std::size_t i = 0; i < with.size(); ++i) ASSERT_EQ(without[i].plan.deltas, with[i].plan.deltas);
}

TEST(PlanTable, KeepsWhatStaysOutLong) {
  PlanTable<int> table;
  for (PlanId plan = 1; plan <= 5000; ++plan) {
    table.insert(plan, static_cast<int>(plan));
    EXPECT_TRUE(plan % 100 == 0 || table.take(plan) == static_cast<int>(plan));
  }
  for (PlanId plan = 1; plan <= 5000; ++plan) {
    EXPECT_TRUE(plan % 100 != 0 || table.take(plan) == static_cast<int>(plan));
    EXPECT_EQ(table.take(plan), std::nullopt);
  }
}

// Runs to the end; the plan number `victim` is treated by `harm`.
template <typename Harm>
Coverage search_with_harm(std::size_t victim, Harm harm) {
  BoundedSearch strategy({});
  for (std::size_t number = 1;; ++number) {
    Next next = strategy.next();
    if (!std::holds_alternative<Plan>(next)) break;
    const Plan plan = std::get<Plan>(next);
    if (number == victim) {
      harm(strategy, plan);
    } else {
      strategy.learn(execute(two_sections(), plan));
    }
  }
  EXPECT_EQ(strategy.nodes_in_use(), 0u);
  return strategy.coverage();
}

TEST(BoundedSearch, LostPlansWithdrawTheirBoundAndAllHigherOnes) {
  const Searched all = search(two_sections(), {});
  const auto first_with_one =
      static_cast<std::size_t>(std::find(all.order.begin(), all.order.end(), 1u) - all.order.begin());
  const Coverage coverage =
      search_with_harm(first_with_one + 1, [](BoundedSearch& strategy, const Plan& plan) { strategy.lost(plan.id); });
  EXPECT_EQ(coverage.lost, 1u);
  EXPECT_FALSE(coverage.complete);
  EXPECT_EQ(coverage.bound_proved, 0);
}

TEST(BoundedSearch, KilledExecutionsAreExpandedAsFarAsTheyWent) {
  std::size_t left = 0;
  const Coverage coverage = search_with_harm(1, [&](BoundedSearch& strategy, const Plan& plan) {
    Execution execution = execute(two_sections(), plan, 3);
    execution.end.end = EndKind::Killed;
    strategy.learn(execution);
    left = strategy.coverage().pending;
  });
  EXPECT_GT(left, 0u);
  EXPECT_EQ(coverage.lost, 1u);
  EXPECT_EQ(coverage.bound_proved, -1);
  EXPECT_FALSE(coverage.complete);
}

TEST(BoundedSearch, ExecutionsThatDidNotFollowTheirPlanAreLost) {
  const Coverage coverage = search_with_harm(2, [&](BoundedSearch& strategy, const Plan& plan) {
    Execution execution = execute(two_sections(), Plan{.id = plan.id, .deltas = {}});
    strategy.learn(execution);
  });
  EXPECT_EQ(coverage.lost, 1u);
}

TEST(BoundedSearch, UnknownPlansAreIgnored) {
  BoundedSearch strategy({});
  Execution stranger;
  stranger.plan = 77;
  strategy.learn(stranger);
  strategy.lost(78);
  EXPECT_EQ(strategy.coverage().lost, 0u);
}

TEST(BoundedSearch, StepLimitCountsAsRun) {
  BoundedSearch strategy({});
  const Plan plan = std::get<Plan>(strategy.next());
  strategy.learn(execute(two_sections(), plan, 2));
  EXPECT_EQ(strategy.coverage().lost, 0u);
}

}  // namespace
}  // namespace heddle::test
