// When executions are cut off later than by default.
#include "driver/execute/step_limit.h"

#include <gtest/gtest.h>

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
  EXPECT_EQ(limit_.present(), 10'000u);
}

TEST_F(StepLimitTest, IsRaisedForAllWhereOneComesToItsEndBehindIt) {
  const std::uint32_t raised = after(1, EndKind::StepLimit);
  EXPECT_GT(raised, 20'000u);
  EXPECT_LE(raised, StepLimit::kMost);
  EXPECT_EQ(after(1, EndKind::Exited, raised), 0u);
  EXPECT_EQ(limit_.present(), raised);
  EXPECT_EQ(after(2, EndKind::StepLimit), raised) << "it was handed out before";
  EXPECT_EQ(after(2, EndKind::StepLimit, raised), 0u) << "and counts as it is then";
}

TEST_F(StepLimitTest, StaysWhereItWasInVain) {
  const std::uint32_t raised = after(1, EndKind::StepLimit);
  EXPECT_EQ(after(2, EndKind::StepLimit), 10'000u) << "waits for what comes of the other one";
  EXPECT_EQ(after(1, EndKind::StepLimit, raised), 10'000u);
  EXPECT_EQ(limit_.present(), 10'000u);
  EXPECT_EQ(after(1, EndKind::StepLimit, 10'000), 0u);
  EXPECT_EQ(after(2, EndKind::StepLimit, 10'000), 0u);
}

TEST_F(StepLimitTest, StaysWhereStepsAreDear) { EXPECT_EQ(after(1, EndKind::StepLimit, 0, 3), 0u); }

TEST_F(StepLimitTest, WhatLeftItsPlanHasNotComeToItsEnd) {
  const std::uint32_t raised = after(1, EndKind::StepLimit);
  EXPECT_EQ(after(1, EndKind::Diverged, raised), 10'000u);
  EXPECT_EQ(limit_.present(), 10'000u);
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

}  // namespace
}  // namespace heddle::test
