// Which schedules are tried to see whether a failure needs its deviations, without executions.
#include "driver/explore/omissions.h"

#include <gtest/gtest.h>

#include "support/execution_builder.h"

namespace heddle::test {
namespace {

// Thread 1 is let in before the second step of thread 0 (a deviation); then it has to wait.
Execution preempted() {
  constexpr std::uint8_t kCanGoOn = TaskState::Enabled | TaskState::Eligible;
  ExecutionBuilder builder;
  const TaskId worker = builder.task();
  builder.execution.changes.push_back({0, 0, kCanGoOn});
  builder.execution.changes.push_back({0, worker, kCanGoOn});
  builder.step(0, OperationKind::MutexLock);
  builder.step(worker, OperationKind::MutexLock).flags = StepFlags::Preemption;
  builder.execution.changes.push_back({2, worker, 0});
  builder.step(0, OperationKind::MutexLock);
  return builder.end(EndKind::Deadlock);
}

TEST(Omissions, EachDeviationIsLeftOutAlone) {
  Omissions omissions;
  EXPECT_FALSE(omissions.begun());
  omissions.begin(preempted(), 3, {});
  const auto plan = omissions.next(7);
  ASSERT_TRUE(plan.has_value());
  EXPECT_EQ(plan->id, 7u);
  ASSERT_EQ(policy_items<PolicyKind::Segments>(*plan), 2u);
  for (std::size_t i = 0; i < 2; ++i) EXPECT_EQ(policy_item<PolicyKind::Segments>(*plan, i).choice.task, 0);
  EXPECT_FALSE(omissions.next(8).has_value());
  omissions.learn(6, true);  // none of ours
  EXPECT_TRUE(omissions.result().empty());
  omissions.learn(7, false);
  ASSERT_EQ(omissions.result().size(), 1u);
  EXPECT_EQ(omissions.result()[0].step, 1u);
  EXPECT_TRUE(omissions.result()[0].is_needed);
}

TEST(Omissions, WhatFailsWithoutItIsNotNeeded) {
  Omissions omissions;
  omissions.begin(preempted(), 3, {});
  omissions.next(1);
  omissions.learn(1, true);
  ASSERT_EQ(omissions.result().size(), 1u);
  EXPECT_FALSE(omissions.result()[0].is_needed);
  omissions.end();
  EXPECT_TRUE(omissions.result().empty());
}

}  // namespace
}  // namespace heddle::test
