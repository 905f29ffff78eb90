// What is tried, and in which order, when a plan can't be followed.
#include "driver/execute/attempts.h"

#include <gtest/gtest.h>

namespace heddle::test {
namespace {

Execution ended(EndKind end, std::size_t steps, OperationKind last = OperationKind::Yield) {
  Execution execution;
  execution.end.end = end;
  execution.steps.resize(steps);
  for (StepRecord& step : execution.steps) step.operation = OperationKind::Yield;
  if (steps != 0) execution.steps.back().operation = last;
  return execution;
}

Plan plan_for(std::uint32_t step) { return {.id = 7, .deltas = {{step, {1, 0}}}}; }

TEST(Followed, AnExecutionThatEndedBeforeTheLastChoiceDidNotFollow) {
  EXPECT_TRUE(followed(plan_for(3), ended(EndKind::Exited, 4)));
  EXPECT_FALSE(followed(plan_for(3), ended(EndKind::Exited, 3)));
  EXPECT_FALSE(followed(plan_for(3), ended(EndKind::Diverged, 10)));
  EXPECT_TRUE(followed(plan_for(3), ended(EndKind::Killed, 1))) << "ended from outside: nothing is known";
  EXPECT_TRUE(followed({}, ended(EndKind::Exited, 0)));
}

TEST(Followed, WhatWasFinishedFreelyDidNotFollowWhereItParted) {
  Plan plan = plan_for(1);
  plan.finish_freely = true;
  Execution execution = ended(EndKind::Exited, 5);
  EXPECT_TRUE(followed(plan, execution));
  execution.messages.push_back({.kind = MessageKind::Divergence, .text = "here"});
  EXPECT_FALSE(followed(plan, execution));
}

TEST(Attempts, AgainThenFreelyThenAgainThenGivenUp) {
  Attempts attempts;
  const Execution failed = ended(EndKind::Diverged, 2);
  auto next = attempts.after(plan_for(3), failed);
  ASSERT_TRUE(next);
  EXPECT_TRUE(next->afresh && !next->finish_freely);
  next = attempts.after(*next, failed);
  ASSERT_TRUE(next);
  EXPECT_TRUE(next->finish_freely);
  next = attempts.after(*next, failed);
  ASSERT_TRUE(next);
  EXPECT_FALSE(next->finish_freely);
  EXPECT_EQ(next->deltas, plan_for(3).deltas);
  EXPECT_FALSE(attempts.after(*next, failed));
  EXPECT_FALSE(attempts.succeeded(7)) << "it is forgotten";
}

TEST(Attempts, SuccessIsKnown) {
  Attempts attempts;
  EXPECT_FALSE(attempts.succeeded(7));
  attempts.after(plan_for(3), ended(EndKind::Diverged, 2));
  EXPECT_TRUE(attempts.succeeded(7));
  EXPECT_FALSE(attempts.succeeded(7));
}

TEST(Attempts, AttemptsThatPartAreCompared) {
  Attempts attempts;
  attempts.after(plan_for(3), ended(EndKind::Diverged, 2));
  attempts.after(plan_for(3), ended(EndKind::Diverged, 3));
  EXPECT_FALSE(attempts.parted) << "the longer one only went further";
  attempts.after(plan_for(3), ended(EndKind::Diverged, 2, OperationKind::Sleep));
  ASSERT_TRUE(attempts.parted);
  EXPECT_EQ(attempts.parted->divergence.step, 1u);
}

TEST(Attempts, AProgramThatNeverFollowsIsNotTriedForEver) {
  Attempts attempts;
  unsigned again = 0;
  for (PlanId id = 1; id <= 1000; ++id) {
    Plan plan = plan_for(3);
    plan.id = id;
    for (auto next = attempts.after(plan, ended(EndKind::Diverged, 2)); next;
         next = attempts.after(*next, ended(EndKind::Diverged, 2)))
      ++again;
  }
  EXPECT_LT(again, 100u);
}

}  // namespace
}  // namespace heddle::test
