// The cycle itself: who may go on, what is the default, what it costs; time, fairness, and exact numbers of schedules.
#include "model/choices.h"
#include "model/explore.h"
#include "model/fixture.h"

namespace heddle::model {
namespace {

using enum OperationKind;

class WorldTest : public ModelTest {
 protected:
  explicit WorldTest(const Limits& limits = {}) : ModelTest(limits) {
    world.schedule().begin_branching();
    // The main task ran last, and both others are about to do something that is always enabled.
    for (const TaskId task : {TaskId{0}, second, third}) publish(task, operation(SemaphorePost, semaphore));
  }
  const TaskId second = add_task(), third = add_task();
  const ObjectId semaphore = add(ObjectKind::Semaphore), empty = add(ObjectKind::Semaphore);
  Operation blocked() const { return operation(SemaphoreWait, empty); }
};

TEST_F(WorldTest, TheDefaultIsToGoOnWithTheTaskThatRanLast) {
  EXPECT_EQ(world.decide().choice, (Choice{0, 0}));
  step(third);
  publish(third, operation(SemaphorePost, semaphore));
  const Decision decision = world.decide();
  EXPECT_EQ(decision.choice, (Choice{third, 0}));
  EXPECT_EQ(decision.last, third);
  EXPECT_EQ(decision.eligible, 3);
  EXPECT_TRUE(decision.switch_costs);
}

TEST_F(WorldTest, WhenItBlocksTheDefaultIsTheLowestTask) {
  world.set_pending(0, blocked());
  step(third);
  publish(third, blocked());
  const Decision decision = world.decide();
  EXPECT_EQ(decision.choice, (Choice{second, 0}));
  EXPECT_FALSE(decision.switch_costs);
  EXPECT_EQ(cost(world, decision, {second, 0}), 0u);
}

TEST_F(WorldTest, ASwitchAwayFromATaskThatCouldGoOnIsAPreemption) {
  const Decision decision = world.decide();
  EXPECT_EQ(cost(world, decision, {0, 0}), 0u);
  EXPECT_EQ(cost(world, decision, {second, 0}), 1u);
  world.step({second, 0});
  EXPECT_EQ(world.schedule().steps().preemptions(), 1u);
}

TEST_F(WorldTest, ASwitchAtAYieldIsFreeAndNotForced) {
  world.set_pending(0, operation(Yield));
  const Decision decision = world.decide();
  EXPECT_TRUE(decision.yielded);
  EXPECT_FALSE(decision.switch_costs);
  EXPECT_EQ(decision.choice, (Choice{0, 0}));
  EXPECT_EQ(cost(world, decision, {third, 0}), 0u);
}

TEST_F(WorldTest, WithoutATaskThatCanGoOnThereIsADeadlock) {
  for (const TaskId task : {TaskId{0}, second, third}) world.set_pending(task, blocked());
  EXPECT_EQ(world.decide().status, Decision::Status::Deadlock);
  EXPECT_TRUE(allowed_choices(world).empty());
}

TEST_F(WorldTest, ATimeoutCostsOneWhileAnotherTaskIsEnabled) {
  world.set_pending(second, until(10, blocked()));
  const Decision decision = world.decide();
  EXPECT_FALSE(decision.nothing_enabled);
  EXPECT_TRUE(allowed(world, {second, kTimeout}));
  EXPECT_FALSE(allowed(world, {second, 0}));
  EXPECT_EQ(cost(world, decision, {second, kTimeout}), 1u);
}

TEST_F(WorldTest, WhenOnlyTimeoutsAreLeftTheEarliestIsTheDefaultAndFree) {
  world.set_pending(0, until(30, blocked()));
  world.set_pending(second, until(20, blocked()));
  world.set_pending(third, until(20, blocked()));
  const Decision decision = world.decide();
  EXPECT_TRUE(decision.nothing_enabled);
  EXPECT_EQ(decision.choice, (Choice{second, kTimeout}));
  EXPECT_EQ(cost(world, decision, {second, kTimeout}), 0u);
  EXPECT_EQ(cost(world, decision, {third, kTimeout}), 0u);  // as early
  EXPECT_EQ(cost(world, decision, {0, kTimeout}), 1u);
}

TEST_F(WorldTest, AfterATimeoutASwitchAwayIsFree) {
  world.set_pending(0, until(10, operation(Sleep)));
  step(0, kTimeout);
  publish(0, operation(SemaphorePost, semaphore));
  const Decision decision = world.decide();
  EXPECT_TRUE(decision.yielded);
  EXPECT_EQ(cost(world, decision, {second, 0}), 0u);
}

TEST_F(WorldTest, TheClockNeverGoesBack) {
  world.advance_clock(10);
  world.advance_clock(5);
  EXPECT_EQ(world.clock().now(), 10);
}

TEST_F(WorldTest, ATimeoutEnablesTheOthersWhoseDeadlineHasPassedToo) {
  world.set_pending(0, until(30, blocked()));
  world.set_pending(second, until(20, blocked()));
  step(0, kTimeout);
  EXPECT_TRUE(enabled(second));
  expect_timed_out(step(second));
}

TEST_F(WorldTest, OnlyOrdinaryAlternativesOfEligibleTasksAreAllowed) {
  world.decide();
  EXPECT_TRUE(allowed(world, {0, 0}));
  EXPECT_FALSE(allowed(world, {0, 1}));
  EXPECT_FALSE(allowed(world, {0, kTimeout}));
  EXPECT_FALSE(allowed(world, {0, kSpurious}));
  EXPECT_FALSE(allowed(world, {static_cast<TaskId>(world.population().task_count()), 0}));
}

TEST_F(WorldTest, EveryChangeOfAStateIsReportedOnce) {
  Changes::Change change;
  world.decide();
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(world.schedule().changes().take(world.population(), change));
  EXPECT_FALSE(world.schedule().changes().take(world.population(), change));
  world.set_pending(second, blocked());
  EXPECT_TRUE(world.schedule().changes().take(world.population(), change));
  EXPECT_EQ(change.task, second);
  EXPECT_EQ(change.state, 0);
  world.set_pending(second, operation(SemaphorePost, semaphore));
  world.set_pending(second, blocked());
  EXPECT_FALSE(world.schedule().changes().take(world.population(), change));
}

TEST_F(WorldTest, StepsAndPreemptionsCountFromTheBranchingPoint) {
  step(0);
  EXPECT_EQ(world.schedule().steps().count(), 1u);
  world.schedule().begin_branching();
  EXPECT_EQ(world.schedule().steps().count(), 0u);
}

TEST_F(WorldTest, ObjectsAreNumberedAndCountedPerKind) {
  EXPECT_EQ(world.object(semaphore).sequence, 0u);
  EXPECT_EQ(world.object(empty).sequence, 1u);
  EXPECT_EQ(empty, semaphore + 1);
  EXPECT_EQ(world.population().object_count(), 5u);  // three threads, two semaphores
}

// A task that is about to read a clock may be slow: it goes on all the same, after the time has passed.
TEST_F(WorldTest, ATaskMayBeSlowWhereItReadsAClock) {
  Operation read = operation(ClockRead);
  read.deadline = 100;
  world.set_pending(0, read);
  const Decision decision = world.decide();
  EXPECT_EQ(decision.choice, (Choice{0, 0}));
  EXPECT_TRUE(decision.switch_costs);
  EXPECT_TRUE(allowed(world, {0, kTimeout}));
  EXPECT_EQ(cost(world, decision, {0, kTimeout}), 1u);
  const Effect effect = world.step({0, kTimeout});
  EXPECT_TRUE(effect.completes);
  EXPECT_EQ(effect.result, 1);
  EXPECT_EQ(world.clock().now(), 100);
  EXPECT_FALSE(world.task(0).yielded);  // to leave it costs as before
}

TEST_F(WorldTest, ATaskIsNotSlowWhereItsTimeHasPassed) {
  Operation read = operation(ClockRead);
  read.deadline = 100;
  world.set_pending(0, read);
  world.advance_clock(100);
  EXPECT_FALSE(allowed(world, {0, kTimeout}));
  EXPECT_EQ(world.step({0, 0}).result, 0);
}

// The kernel's timers are not late.
TEST_F(WorldTest, ATaskIsNotSlowBeyondATimer) {
  Operation timer = operation(TimerExpire, world.task(third).thread);
  timer.patient = timer.one_shot = true;
  timer.deadline = 50;
  world.set_pending(third, timer);
  Operation read = operation(ClockRead);
  read.deadline = 100;
  world.set_pending(0, read);
  EXPECT_FALSE(allowed(world, {0, kTimeout}));
}

class NoEarlyTimeoutsTest : public WorldTest {
 protected:
  NoEarlyTimeoutsTest() : WorldTest({.timeouts = Timeouts::Late, .spurious_wakeups = 0}) {}
};

TEST_F(NoEarlyTimeoutsTest, NoTaskIsSlow) {
  Operation read = operation(ClockRead);
  read.deadline = 100;
  world.set_pending(0, read);
  EXPECT_FALSE(allowed(world, {0, kTimeout}));
}

TEST_F(NoEarlyTimeoutsTest, ATimeoutFiresOnlyWhenNothingElseCanGoOn) {
  world.set_pending(second, until(10, blocked()));
  world.decide();
  EXPECT_FALSE(allowed(world, {second, kTimeout}));
  world.set_pending(0, blocked());
  world.set_pending(third, blocked());
  world.decide();
  EXPECT_TRUE(allowed(world, {second, kTimeout}));
}

class OrderedTimeoutsTest : public WorldTest {
 protected:
  OrderedTimeoutsTest() : WorldTest({.timeouts = Timeouts::Ordered, .spurious_wakeups = 0}) {}
};

TEST_F(OrderedTimeoutsTest, OnlyTheEarliestDeadlinePassesAndThoseThatAreAsGoodAsSimultaneous) {
  world.set_pending(0, until(10, blocked()));
  world.set_pending(second, until(10 + kSameDeadline - 1, blocked()));
  world.set_pending(third, until(10 + kSameDeadline, operation(Sleep)));
  const Decision decision = world.decide();
  EXPECT_EQ(decision.choice, (Choice{0, kTimeout}));
  EXPECT_TRUE(allowed(world, {0, kTimeout}) && allowed(world, {second, kTimeout}));
  EXPECT_FALSE(allowed(world, {third, kTimeout}));
  EXPECT_EQ(cost(world, decision, {0, kTimeout}), 0u);
  EXPECT_EQ(cost(world, decision, {second, kTimeout}), 1u);
  world.set_pending(0, blocked());
  world.decide();
  EXPECT_TRUE(allowed(world, {third, kTimeout}));
}

TEST_F(OrderedTimeoutsTest, NoTimeoutFiresWhileATaskCanGoOn) {
  world.set_pending(second, until(10, blocked()));
  world.decide();
  EXPECT_FALSE(allowed(world, {second, kTimeout}));
}

// --- fairness, step by step

TEST_F(WorldTest, AFirstYieldHoldsNobodyBackAndASecondOneWaitsForThoseWhoCouldRunThroughout) {
  world.set_pending(third, blocked());
  run(0, Yield);
  publish(0, operation(Yield));
  const Decision decision = world.decide();
  EXPECT_EQ(decision.choice, (Choice{second, 0}));
  EXPECT_EQ(decision.eligible, 1);
  EXPECT_TRUE(enabled(0));
  EXPECT_FALSE(allowed(world, {0, 0}));
  step(second);
  publish(second, operation(SemaphorePost, semaphore));
  EXPECT_TRUE(world.decide().eligible == 2 && allowed(world, {0, 0}));
}

TEST_F(WorldTest, ATaskThatTheStepAfterAYieldEnabledWasNotEnabledThroughout) {
  world.set_pending(second, until(10, blocked()));
  publish(0, operation(Yield));
  world.set_pending(third, until(10, operation(Sleep)));
  step(third, kTimeout);  // the clock moves, and the second task can go on too
  EXPECT_TRUE(enabled(second));
  publish(third, operation(SemaphorePost, semaphore));
  step(0);
  publish(0, operation(Yield));
  world.decide();
  EXPECT_TRUE(allowed(world, {0, 0}));
}

TEST_F(WorldTest, ATimeoutThatWasHeldBackMayFireOnceTheTaskItWaitedForHasRun) {
  world.set_pending(third, blocked());
  run(0, Yield);
  publish(0, operation(Yield));
  world.set_pending(0, until(10, operation(Sleep)));
  world.decide();
  EXPECT_FALSE(allowed(world, {0, kTimeout}));
  step(second);
  publish(second, operation(SemaphorePost, semaphore));
  world.decide();
  EXPECT_TRUE(allowed(world, {0, kTimeout}));
}

// --- exact numbers of schedules

Body post(ObjectId semaphore, int times) {
  for (int i = 0; i < times; ++i) co_await operation(SemaphorePost, semaphore);
}

Body lock_and_unlock(ObjectId mutex) {
  co_await operation(MutexLock, mutex);
  co_await operation(MutexUnlock, mutex);
}

std::uint64_t count_post_schedules(int preemption_bound) {
  ExploreOptions options;
  options.preemption_bound = preemption_bound;
  return explore(
             [](Program& program) {
               const ObjectId semaphore = program.add(ObjectKind::Semaphore);
               for (int i = 0; i < 2; ++i) program.add_task(post(semaphore, 2));
             },
             options)
      .executions;
}

TEST(Schedules, TwoTasksOfThreeStepsHaveTwentyInterleavings) { EXPECT_EQ(count_post_schedules(-1), 20u); }

// Without a preemption the main task runs to its end first; with one, the switch is before one of its three steps.
TEST(Schedules, PreemptionBoundsCountSwitchesAwayFromATaskThatCouldGoOn) {
  EXPECT_EQ(count_post_schedules(0), 1u);
  EXPECT_EQ(count_post_schedules(1), 4u);
}

// L U E of each task: the one with the lock first is a choice of 2, and its E has 4 places among the other's L U E.
TEST(Schedules, CriticalSectionsOfOneMutexDoNotInterleave) {
  const Exploration result = explore([](Program& program) {
    const ObjectId mutex = program.add(ObjectKind::Mutex);
    for (int i = 0; i < 2; ++i) program.add_task(lock_and_unlock(mutex));
  });
  EXPECT_EQ(result.executions, 8u);
  EXPECT_EQ(result.deadlocks, 0u);
}

Body lock_both(ObjectId first, ObjectId second) {
  co_await operation(MutexLock, first);
  co_await operation(MutexLock, second);
  co_await operation(MutexUnlock, second);
  co_await operation(MutexUnlock, first);
}

Exploration explore_lock_order(int preemption_bound) {
  ExploreOptions options;
  options.preemption_bound = preemption_bound;
  return explore(
      [](Program& program) {
        const ObjectId a = program.add(ObjectKind::Mutex), b = program.add(ObjectKind::Mutex);
        program.add_task(lock_both(a, b));
        program.add_task(lock_both(b, a));
      },
      options);
}

TEST(Schedules, AnInversionOfLocksDeadlocksWithOnePreemptionAndNotWithout) {
  EXPECT_EQ(explore_lock_order(0).deadlocks, 0u);
  EXPECT_EQ(explore_lock_order(1).deadlocks, 1u);
  EXPECT_EQ(explore_lock_order(-1).deadlocks, 2u);
}

// --- fairness in whole programs

Body spin_by_yielding(const bool& flag) {
  while (!flag) co_await operation(Yield);
}

Body spin_by_sleeping(const World& world, const bool& flag) {
  while (!flag) co_await until(world.clock().now() + 10, operation(Sleep));
}

Body spin_by_timed_wait(const World& world, const bool& flag, ObjectId semaphore) {
  while (!flag) co_await until(world.clock().now() + 10, operation(SemaphoreWait, semaphore));
}

Body set(bool& flag, ObjectId semaphore) {
  co_await operation(SemaphorePost, semaphore);
  flag = true;
}

enum class Spin { Yield, Sleep, TimedWait };

class FairnessTest : public testing::TestWithParam<Spin> {
 protected:
  Body spin(Program& program, const bool& flag) {
    switch (GetParam()) {
      case Spin::Yield:
        return spin_by_yielding(flag);
      case Spin::Sleep:
        return spin_by_sleeping(program.world(), flag);
      default:
        return spin_by_timed_wait(program.world(), flag, program.add(ObjectKind::Semaphore));
    }
  }
};

TEST_P(FairnessTest, AWaitBySpinningEndsInEverySchedule) {
  for (const int bound : {0, 1, 2}) {
    bool flag = false;
    ExploreOptions options;
    options.preemption_bound = bound;
    const Exploration result = explore(
        [&](Program& program) {
          flag = false;
          program.add_task(spin(program, flag));
          program.add_task(spin(program, flag));
          program.add_task(set(flag, program.add(ObjectKind::Semaphore)));
        },
        options);
    EXPECT_TRUE(result.complete) << "bound " << bound;
    EXPECT_EQ(result.cut_off, 0u) << "bound " << bound;
    EXPECT_EQ(result.deadlocks, 0u) << "bound " << bound;
  }
}

std::string spin_name(const testing::TestParamInfo<Spin>& info) {
  constexpr const char* kNames[] = {"Yield", "Sleep", "TimedWait"};
  return kNames[static_cast<int>(info.param)];
}

INSTANTIATE_TEST_SUITE_P(By, FairnessTest, testing::Values(Spin::Yield, Spin::Sleep, Spin::TimedWait), spin_name);

}  // namespace
}  // namespace heddle::model
