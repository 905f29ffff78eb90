// Where a schedule is not the default one.
#include "analysis/deviations.h"

#include <gtest/gtest.h>

#include "support/execution_builder.h"

namespace heddle {
namespace {

constexpr std::uint8_t kCanGoOn = TaskState::Enabled | TaskState::Eligible;

// Three threads; `states` says of each what it can do from a step on.
class Schedule {
 public:
  Schedule() {
    builder_.task();
    builder_.task();
  }
  Schedule& state(TaskId task, std::uint8_t state) {
    builder_.execution.changes.push_back({static_cast<std::uint32_t>(builder_.execution.steps.size()), task, state});
    return *this;
  }
  Schedule& step(TaskId task, Variant variant = 0, std::uint8_t flags = 0) {
    StepRecord& step = builder_.step(task, OperationKind::MutexLock);
    step.variant = variant;
    step.flags = flags;
    return *this;
  }
  std::vector<ScheduleDeviation> deviations(std::size_t most = 100) const {
    return deviations_of(builder_.execution, builder_.execution.steps.size(), most);
  }
  std::string kind(std::size_t index) const {
    const ScheduleDeviation one = deviations().at(index);
    return kind_of(one, builder_.execution.steps[one.step]);
  }

 private:
  test::ExecutionBuilder builder_;
};

TEST(Deviations, NoneWhereTheThreadThatRanGoesOnAndThenTheLowest) {
  Schedule schedule;
  schedule.state(0, kCanGoOn).state(1, kCanGoOn).state(2, kCanGoOn).step(0).step(0);
  schedule.state(0, 0).step(1).state(0, kCanGoOn).step(1).state(1, 0).step(0);
  EXPECT_TRUE(schedule.deviations().empty());
}

TEST(Deviations, APreemptionAndAnotherThreadThanTheLowest) {
  Schedule schedule;
  schedule.state(0, kCanGoOn).state(1, kCanGoOn).state(2, kCanGoOn).step(0);
  schedule.step(1, 0, StepFlags::Preemption).state(1, 0).step(2);
  ASSERT_EQ(schedule.deviations().size(), 2u);
  const ScheduleDeviation first = schedule.deviations()[0], second = schedule.deviations()[1];
  EXPECT_EQ(std::tuple(first.step, first.choice.task, first.by_default), std::tuple(1u, TaskId{1}, TaskId{0}));
  EXPECT_EQ(std::tuple(second.step, second.choice.task, second.by_default), std::tuple(2u, TaskId{2}, TaskId{0}));
  EXPECT_EQ(schedule.kind(0), "preemption");
  EXPECT_EQ(schedule.kind(1), "switch");
  EXPECT_EQ(schedule.deviations(1).size(), 1u);
}

TEST(Deviations, TheEarliestTimeoutIsTheDefaultWhereNobodyCanGoOn) {
  Schedule schedule;
  schedule.state(0, TaskState::Timeout).state(1, TaskState::Timeout | TaskState::Earliest);
  schedule.step(1, kTimeout, StepFlags::NothingEnabled);
  EXPECT_TRUE(schedule.deviations().empty());
  schedule.step(0, kTimeout, StepFlags::NothingEnabled | StepFlags::Preemption);
  ASSERT_EQ(schedule.deviations().size(), 1u);
  EXPECT_EQ(schedule.kind(0), "timeout");
  EXPECT_EQ(schedule.deviations()[0].by_default, 1);
}

TEST(Deviations, AnotherOutcomeOfTheSameThread) {
  Schedule schedule;
  schedule.state(0, kCanGoOn).step(0, 1);
  EXPECT_EQ(schedule.kind(0), "alternative");
}

}  // namespace
}  // namespace heddle
