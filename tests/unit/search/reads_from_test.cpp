// Reads-from feedback: what it learns of executions, and the schedules that it makes of that.
#include "search/reads_from.h"

#include <gtest/gtest.h>

#include <set>
#include <tuple>

#include "support/execution_builder.h"
#include "trace/state_archive.h"

namespace heddle::test {
namespace {

constexpr std::uint64_t kShared = 0x4000, kOwn = 0x5000;
constexpr Site kWrite = 0x100, kRead = 0x200, kOther = 0x300;

// Two tasks at one object; a second object is the first task's own.
Execution execution_of(PlanId plan, const std::vector<std::pair<TaskId, Site>>& accesses) {
  ExecutionBuilder builder;
  builder.task();
  const ObjectId shared = builder.object(ObjectKind::Memory, kShared), own = builder.object(ObjectKind::Memory, kOwn);
  builder.step(0, OperationKind::AtomicStore, own, kOther).flags |= StepFlags::Wrote;
  for (const auto& [task, site] : accesses) {
    const bool writes = site == kWrite;
    StepRecord& step =
        builder.step(task, writes ? OperationKind::AtomicStore : OperationKind::AtomicLoad, shared, site);
    if (writes) step.flags |= StepFlags::Wrote;
  }
  Execution result = builder.exited(0);
  result.plan = plan;
  return result;
}

using Constraint = std::tuple<std::uint64_t, Site, Site>;

std::set<Constraint> constraints_of(ReadsFrom& reads_from, unsigned plans) {
  std::set<Constraint> result;
  Draws draws(7);
  for (PlanId plan = 1; plan <= plans; ++plan)
    for (const ReadsFrom::Constraint& one : reads_from.draw(plan, draws))
      result.insert({one.address, one.writer, one.reader});
  return result;
}

TEST(ReadsFrom, WithoutAnExecutionThereAreNoConstraints) {
  ReadsFrom reads_from;
  EXPECT_TRUE(constraints_of(reads_from, 20).empty());
}

TEST(ReadsFrom, ItConstrainsWhatSeveralTasksDoToAnObjectThatChanges) {
  ReadsFrom reads_from;
  reads_from.learn(execution_of(1, {{0, kWrite}, {1, kRead}}));
  // Also those that were not seen: a reader before each writer, a writer behind itself.
  const std::set<Constraint> expected = {
      {kShared, 0, kRead}, {kShared, 0, kWrite}, {kShared, kWrite, kRead}, {kShared, kWrite, kWrite}};
  EXPECT_EQ(constraints_of(reads_from, 200), expected);
}

TEST(ReadsFrom, WhatNobodyChangesIsNotConstrained) {
  ReadsFrom reads_from;
  reads_from.learn(execution_of(1, {{0, kRead}, {1, kRead}}));
  EXPECT_TRUE(constraints_of(reads_from, 20).empty());
}

TEST(ReadsFrom, AScheduleThatShowsANewPairIsMutatedFurther) {
  ReadsFrom reads_from;
  Draws draws(1);
  reads_from.learn(execution_of(1'000, {{0, kWrite}, {1, kRead}}));
  std::size_t longest = 0;
  for (PlanId plan = 1; plan <= 400; ++plan) {
    longest = std::max(longest, reads_from.draw(plan, draws).size());
    // Each execution has a reader of its own: always a new pair.
    reads_from.learn(execution_of(plan, {{0, kWrite}, {1, kRead + plan}}));
  }
  EXPECT_GT(longest, 2u);  // by one plan alone at most two
}

TEST(ReadsFrom, WithoutNewPairsNoScheduleIsKept) {
  ReadsFrom reads_from;
  Draws draws(1);
  for (PlanId plan = 1; plan <= 200; ++plan) {
    EXPECT_LE(reads_from.draw(plan, draws).size(), 2u);
    EXPECT_TRUE(reads_from.knows(plan));
    reads_from.learn(execution_of(plan, {{0, kWrite}, {1, kRead}}));
    EXPECT_FALSE(reads_from.knows(plan));
  }
}

TEST(ReadsFrom, ItGoesOnWhereItWasSaved) {
  ReadsFrom one, other;
  Draws draws(3);
  for (PlanId plan = 1; plan <= 50; ++plan) {
    one.draw(plan, draws);
    one.learn(execution_of(plan, {{0, kWrite}, {1, kRead + plan}}));
  }
  StateWriter writer;
  writer(one);
  StateReader reader(writer.written());
  reader(other);
  EXPECT_FALSE(reader.failed());
  EXPECT_EQ(constraints_of(one, 100), constraints_of(other, 100));
}

}  // namespace
}  // namespace heddle::test
