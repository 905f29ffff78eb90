// What a report for programs says of a bug, from hand-made executions.
#include "report/bug_details.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "support/execution_builder.h"
#include "trace/state_archive.h"

namespace heddle {
namespace {

BugDetails details(const Execution& execution, OutcomeKind kind, const std::vector<TriedWithout>& tried = {}) {
  Symbolizer symbolizer{ModuleMap()};
  Names names(execution, symbolizer, "");
  Outcome outcome;
  outcome.kind = kind;
  return details_of(outcome, execution, {}, tried, names);
}

TEST(BugDetails, OfADeadlock) {
  Execution execution = test::crossed_locks();
  constexpr std::uint8_t kCanGoOn = TaskState::Enabled | TaskState::Eligible;
  execution.changes.push_back({0, 0, kCanGoOn});
  execution.changes.push_back({1, 1, kCanGoOn});
  const BugDetails found = details(execution, OutcomeKind::Deadlock, {{2, true}});
  ASSERT_EQ(found.threads.size(), 2u);
  EXPECT_EQ(found.threads[0].name, "main");
  EXPECT_EQ(found.threads[0].state, "waits");
  EXPECT_NE(found.threads[0].waits_for.find("which thread 1 holds"), std::string::npos) << found.threads[0].waits_for;
  ASSERT_EQ(found.locks.size(), 2u);
  EXPECT_EQ(found.locks[0].name, "mutex 2");
  EXPECT_EQ(found.locks[0].kind, "mutex");
  ASSERT_EQ(found.locks[0].holders.size(), 1u);
  EXPECT_EQ(found.locks[0].holders[0].thread, 1);
  ASSERT_EQ(found.locks[0].waiters.size(), 1u);
  EXPECT_EQ(found.locks[0].waiters[0].thread, 0);
  EXPECT_EQ(found.steps_in_all, 4u);
  EXPECT_TRUE(std::any_of(found.steps.begin(), found.steps.end(), [](const auto& step) {
    return step.words == "locks mutex 2" && step.thread == 1 && step.is_preemption;
  }));
  ASSERT_FALSE(found.deviations.empty());
  const BugDetails::Deviation& first = found.deviations.front();
  EXPECT_EQ(first.step, 2u);
  EXPECT_EQ(first.kind, "preemption");
  EXPECT_EQ(first.is_needed, std::optional(true));
  EXPECT_TRUE(found.accesses.empty());
}

TEST(BugDetails, AreBounded) {
  test::ExecutionBuilder builder;
  const ObjectId mutex = builder.object(ObjectKind::Mutex);
  for (int i = 0; i < 300; ++i) builder.task();
  for (std::uint32_t i = 0; i < 20'000; ++i) {
    builder.execution.changes.push_back({i, static_cast<TaskId>(i % 2), TaskState::Enabled | TaskState::Eligible});
    builder.step(static_cast<TaskId>(i % 2), OperationKind::MutexLock, mutex).flags = StepFlags::Preemption;
  }
  const BugDetails found = details(builder.end(EndKind::Livelock), OutcomeKind::Livelock);
  EXPECT_EQ(found.steps_in_all, 20'000u);
  EXPECT_LE(found.steps.size(), 200u);
  EXPECT_LE(found.threads.size(), 64u);
  EXPECT_EQ(found.deviations.size(), 200u);
}

TEST(BugDetails, OutliveAResumedSearch) {
  const BugDetails found = details(test::crossed_locks(), OutcomeKind::Deadlock);
  StateWriter writer;
  writer(found);
  BugDetails read;
  StateReader reader(writer.written());
  reader(read);
  EXPECT_TRUE(reader.at_end() && !reader.failed());
  ASSERT_EQ(read.locks.size(), found.locks.size());
  EXPECT_EQ(read.locks[1].name, found.locks[1].name);
  EXPECT_EQ(read.steps.size(), found.steps.size());
  EXPECT_EQ(read.threads[1].waits_for, found.threads[1].waits_for);
}

}  // namespace
}  // namespace heddle
