// When executions are cut off later than by default.
#include "driver/execute/step_limit.h"

#include <gtest/gtest.h>

#include <optional>
#include <vector>

#include "trace/state_archive.h"

namespace heddle::test {
namespace {

constexpr double kCheap = 0.001;  // seconds an execution

class StepLimitTest : public testing::Test {
 protected:
  // What the plan is to be run with again, after it has ended like this.
  std::uint32_t after(PlanId id, EndKind end, std::uint32_t max_steps = 0, double seconds = kCheap) {
    Plan plan;
    plan.id = id;
    plan.max_steps = max_steps;
    Execution execution;
    execution.plan = id;
    execution.end.end = end;
    return limit_.again(plan, execution, seconds).value_or(StepLimit::Limits()).steps;
  }

  std::optional<StepLimit::Limits> cut_off_by_tasks(StepLimit::Limits limits, double seconds = kCheap) {
    Plan plan;
    plan.id = 1;
    plan.max_steps = limits.steps;
    plan.max_tasks = limits.tasks;
    Execution execution;
    execution.plan = 1;
    execution.end.end = EndKind::StepLimit;
    execution.end.tasks = static_cast<decltype(execution.end.tasks)>(limits.tasks);
    execution.end.steps = limits.steps / 2;
    return limit_.again(plan, execution, seconds);
  }

  static RunOptions options() {
    RunOptions result;
    result.max_steps = 10'000;
    return result;
  }

  StepLimit limit_{options()};
};

TEST_F(StepLimitTest, StaysWhereNothingIsCutOff) {
  EXPECT_EQ(after(1, EndKind::Exited), 0u);
  EXPECT_EQ(limit_.present().steps, 10'000u);
}

TEST_F(StepLimitTest, IsRaisedForAllWhereOneComesToItsEndBehindIt) {
  const std::uint32_t raised = after(1, EndKind::StepLimit);
  EXPECT_GT(raised, 20'000u);
  EXPECT_LE(raised, StepLimit::kMost);
  EXPECT_EQ(after(1, EndKind::Exited, raised), 0u);
  EXPECT_EQ(limit_.present().steps, raised);
  EXPECT_EQ(after(2, EndKind::StepLimit), raised) << "it was handed out before";
  EXPECT_EQ(after(2, EndKind::StepLimit, raised), 0u) << "and counts as it is then";
}

TEST_F(StepLimitTest, StaysWhereItWasInVain) {
  const std::uint32_t raised = after(1, EndKind::StepLimit);
  EXPECT_EQ(after(2, EndKind::StepLimit), 10'000u) << "waits for what comes of the other one";
  EXPECT_EQ(after(1, EndKind::StepLimit, raised), 10'000u);
  EXPECT_EQ(limit_.present().steps, 10'000u);
  EXPECT_EQ(after(1, EndKind::StepLimit, 10'000), 0u);
  EXPECT_EQ(after(2, EndKind::StepLimit, 10'000), 0u);
}

TEST_F(StepLimitTest, StaysWhereStepsAreDear) { EXPECT_EQ(after(1, EndKind::StepLimit, 0, 3), 0u); }

TEST_F(StepLimitTest, WhatLeftItsPlanHasNotComeToItsEnd) {
  const std::uint32_t raised = after(1, EndKind::StepLimit);
  EXPECT_EQ(after(1, EndKind::Diverged, raised), 10'000u);
  EXPECT_EQ(limit_.present().steps, 10'000u);
}

TEST_F(StepLimitTest, NobodyWaitsForAPlanThatIsLost) {
  after(1, EndKind::StepLimit);
  limit_.lose(1);
  EXPECT_EQ(after(2, EndKind::StepLimit), 0u);
}

TEST_F(StepLimitTest, AnotherSearchTriesAgain) {
  const std::uint32_t raised = after(1, EndKind::StepLimit);
  after(1, EndKind::StepLimit, raised);
  limit_.restart();
  EXPECT_EQ(after(3, EndKind::StepLimit), raised);
}

// --- threads

TEST_F(StepLimitTest, ThreadsRiseByTimesFour) {
  EXPECT_EQ(limit_.present().tasks, StepLimit::kUsualTasks);
  const auto first = cut_off_by_tasks(limit_.present());
  ASSERT_TRUE(first);
  EXPECT_EQ(*first, (StepLimit::Limits{10'000, 4 * StepLimit::kUsualTasks}));
  const auto second = cut_off_by_tasks(*first);
  ASSERT_TRUE(second);
  EXPECT_EQ(second->tasks, 16 * StepLimit::kUsualTasks);
  EXPECT_EQ(after(1, EndKind::Exited, second->steps), 0u);
  EXPECT_EQ(limit_.present().tasks, 0u) << "the program ends: any number";
}

TEST_F(StepLimitTest, ThreadsRiseUpToWhatASearchCanRemember) {
  std::optional<StepLimit::Limits> limits = limit_.present();
  std::uint32_t most = 0;
  while (limits && limits->tasks >= most) {
    most = limits->tasks;
    limits = cut_off_by_tasks(*limits);
  }
  EXPECT_EQ(most, StepLimit::kMostTasks);
  ASSERT_TRUE(limits);
  EXPECT_EQ(limits->tasks, StepLimit::kUsualTasks) << "in vain: as before";
  EXPECT_FALSE(cut_off_by_tasks(*limits)) << "and then it is looked at";
  EXPECT_TRUE(limit_.may_fall());
}

TEST_F(StepLimitTest, WhereNothingIsRememberedAnyNumberIsTried) {
  limit_ = StepLimit(options(), false);
  const auto limits = cut_off_by_tasks({10'000, StepLimit::kMostTasks});
  ASSERT_TRUE(limits);
  EXPECT_EQ(limits->tasks, 0u);
}

TEST_F(StepLimitTest, StaysWhereThreadsAreDear) { EXPECT_FALSE(cut_off_by_tasks(limit_.present(), 3)); }

// --- it falls

TEST_F(StepLimitTest, TheUsersOwnNeverFalls) {
  RunOptions given = options();
  given.max_steps_given = true;
  limit_ = StepLimit(given);
  EXPECT_EQ(after(1, EndKind::StepLimit), 0u);
  EXPECT_EQ(limit_.present(), (StepLimit::Limits{10'000, 0}));
  EXPECT_FALSE(limit_.may_fall());
}

TEST_F(StepLimitTest, FallsAndGrowsUpToTheUsualOne) {
  limit_.fall();
  EXPECT_FALSE(limit_.may_fall());
  EXPECT_EQ(limit_.present(), (StepLimit::Limits{StepLimit::kLowSteps, StepLimit::kLowTasks}));
  EXPECT_EQ(after(1, EndKind::StepLimit, StepLimit::kLowSteps), 0u) << "it is looked at";
  std::vector<std::uint32_t> steps;
  for (; limit_.may_grow(); steps.push_back(limit_.present().steps)) limit_.grow();
  EXPECT_EQ(steps, (std::vector<std::uint32_t>{512, 2048, 8192, 10'000}));
  EXPECT_FALSE(limit_.may_fall()) << "it would fall and grow for ever";
  EXPECT_EQ(after(1, EndKind::StepLimit), 0u);
  limit_.restart();
  EXPECT_TRUE(limit_.may_fall());
}

// The plan whose execution is the first to be tried with the usual limit.
PlanId first_tried(StepLimit& limit) {
  for (PlanId id = 1; id < 10'000; ++id) {
    Plan plan;
    plan.id = id;
    plan.max_steps = limit.present().steps;
    Execution execution;
    execution.end.end = EndKind::StepLimit;
    if (limit.again(plan, execution, kCheap)) return id;
  }
  return 0;
}

TEST_F(StepLimitTest, NowAndThenOneIsTriedWithTheUsualLimit) {
  limit_.fall();
  const PlanId tried = first_tried(limit_);
  ASSERT_NE(tried, 0u);
  EXPECT_EQ(limit_.present().steps, StepLimit::kLowSteps) << "the others go on as before";
  EXPECT_EQ(after(tried + 1, EndKind::StepLimit, StepLimit::kLowSteps), 0u) << "and do not wait";
  EXPECT_EQ(after(tried, EndKind::StepLimit, 10'000), StepLimit::kLowSteps) << "in vain";
  EXPECT_EQ(after(tried, EndKind::StepLimit, StepLimit::kLowSteps), 0u);
  EXPECT_FALSE(limit_.fell_too_far());
  EXPECT_GT(first_tried(limit_), tried) << "less and less often";
}

TEST_F(StepLimitTest, WhatEndsBehindItShowsThatItFellTooFar) {
  limit_.fall();
  const PlanId tried = first_tried(limit_);
  EXPECT_EQ(after(tried, EndKind::Exited, 10'000), 0u);
  EXPECT_TRUE(limit_.fell_too_far());
  limit_.restart();
  EXPECT_FALSE(limit_.fell_too_far());
  EXPECT_EQ(limit_.present().steps, 10'000u);
}

TEST_F(StepLimitTest, ALowOneIsKept) {
  limit_.fall();
  limit_.grow();
  const PlanId tried = first_tried(limit_);
  ASSERT_NE(tried, 0u);
  StateWriter writer;
  writer(limit_);
  StateReader reader(writer.written());
  StepLimit kept(options());
  reader(kept);
  EXPECT_FALSE(reader.failed());
  EXPECT_EQ(kept.present(), limit_.present());
  EXPECT_TRUE(kept.may_grow()) << "what was tried has not run yet";
}

}  // namespace
}  // namespace heddle::test
