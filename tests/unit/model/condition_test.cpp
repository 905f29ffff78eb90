// Condition variables: the stages of a wait, who is woken, and what is misuse.
#include "model/choices.h"
#include "model/explore.h"
#include "model/fixture.h"

namespace heddle::model {
namespace {

using enum OperationKind;

class ConditionTest : public ModelTest {
 protected:
  explicit ConditionTest(const Limits& limits = {}) : ModelTest(limits) {}
  // A new task that holds the mutex and waits.
  TaskId add_waiter(Nanoseconds deadline = kNoDeadline) {
    const TaskId task = add_task();
    run(task, MutexLock, mutex);
    run(task, until(deadline, wait_on(condition, mutex)));
    return task;
  }
  const ObjectId mutex = add(ObjectKind::Mutex), condition = add(ObjectKind::Condition);
};

TEST_F(ConditionTest, WaitReleasesTheMutexAndEnqueuesInOneStep) {
  run(0, MutexLock, mutex);
  const Effect effect = run(0, wait_on(condition, mutex));
  EXPECT_FALSE(effect.completes);
  EXPECT_TRUE(effect.released);
  EXPECT_EQ(pending(0), ConditionWake);
  EXPECT_FALSE(enabled(0));
  EXPECT_EQ(world.object(mutex).mutex.owner, kNoTask);
  EXPECT_EQ(world.object(condition).condition.waiters.count, 1);
}

TEST_F(ConditionTest, ASignalMovesTheWaiterToTheMutexWithoutAStepOfItsOwn) {
  const TaskId waiter = add_waiter();
  run(0, MutexLock, mutex);
  const Effect signal = run(0, ConditionSignal, condition);
  EXPECT_TRUE(signal.wrote && signal.released);
  EXPECT_EQ(pending(waiter), MutexReacquire);
  EXPECT_FALSE(enabled(waiter));
  run(0, MutexUnlock, mutex);
  const Effect reacquire = step(waiter);
  EXPECT_TRUE(reacquire.completes);
  EXPECT_EQ(reacquire.result, 0);
  EXPECT_EQ(world.object(mutex).mutex.owner, waiter);
}

TEST_F(ConditionTest, ASignalWithoutWaitersIsLost) {
  expect_refused(run(0, ConditionSignal, condition), 0);
  expect_refused(run(0, ConditionBroadcast, condition), 0);
  EXPECT_EQ(pending(add_waiter()), ConditionWake);
}

TEST_F(ConditionTest, WhichWaiterIsWokenIsAChoiceInTheOrderOfArrival) {
  const TaskId first = add_waiter(), second = add_waiter(), third = add_waiter();
  publish(0, operation(ConditionSignal, condition));
  EXPECT_EQ(variants(world, 0), 3);
  step(0, 1);
  EXPECT_EQ(pending(first), ConditionWake);
  EXPECT_EQ(pending(second), MutexReacquire);
  publish(0, operation(ConditionSignal, condition));
  EXPECT_EQ(variants(world, 0), 2);
  EXPECT_FALSE(allowed(world, {0, 2}));
  step(0, 1);
  EXPECT_EQ(pending(third), MutexReacquire);
}

TEST_F(ConditionTest, ABroadcastWakesAllAndIsNoChoice) {
  const TaskId first = add_waiter(), second = add_waiter();
  publish(0, operation(ConditionBroadcast, condition));
  EXPECT_EQ(variants(world, 0), 1);
  step(0);
  EXPECT_TRUE(enabled(first) && enabled(second));
  step(second);
  EXPECT_FALSE(enabled(first));
}

TEST_F(ConditionTest, ATimedWaitThatEndsByTimeReacquiresAndReturnsEtimedout) {
  const TaskId waiter = add_waiter(50);
  const Effect wake = step(waiter, kTimeout);
  EXPECT_FALSE(wake.completes);
  EXPECT_TRUE(wake.timed_out);
  EXPECT_EQ(world.object(condition).condition.waiters.count, 0);
  EXPECT_EQ(step(waiter).result, ETIMEDOUT);
  EXPECT_EQ(world.object(mutex).mutex.owner, waiter);
}

TEST_F(ConditionTest, ADeadlineThatIsOverStillReleasesAndReacquiresTheMutex) {
  world.advance_clock(100);
  run(0, MutexLock, mutex);
  EXPECT_TRUE(run(0, until(50, wait_on(condition, mutex))).released);
  EXPECT_EQ(world.object(mutex).mutex.owner, kNoTask);
  EXPECT_TRUE(step(0).timed_out);
  EXPECT_EQ(step(0).result, ETIMEDOUT);
}

TEST_F(ConditionTest, ASignalledWaiterCanNoLongerTimeOut) {
  const TaskId waiter = add_waiter(50);
  run(0, ConditionSignal, condition);
  EXPECT_FALSE(allowed(world, {waiter, kTimeout}));
  world.advance_clock(100);
  EXPECT_EQ(step(waiter).result, 0);
}

TEST_F(ConditionTest, WaitingWithoutTheMutexIsMisuseOrEperm) {
  expect_misuse(run(0, wait_on(condition, mutex)), "waited on a condition variable without holding the mutex");
  EXPECT_EQ(world.object(condition).condition.waiters.count, 0);
  for (const MutexType type : {MutexType::Recursive, MutexType::ErrorCheck}) {
    const ObjectId other = add(ObjectKind::Mutex);
    world.object(other).mutex.type = type;
    expect_refused(run(0, wait_on(condition, other)), EPERM);
  }
}

TEST_F(ConditionTest, ARecursiveMutexThatIsHeldTwiceIsNotReleasedByAWait) {
  world.object(mutex).mutex.type = MutexType::Recursive;
  run(0, MutexLock, mutex);
  run(0, MutexLock, mutex);
  run(0, until(50, wait_on(condition, mutex)));
  EXPECT_EQ(world.object(mutex).mutex.owner, 0);
  expect_refused(run(add_task(), MutexTryLock, mutex), EBUSY);
  step(0, kTimeout);
  EXPECT_EQ(step(0).result, ETIMEDOUT);
  EXPECT_EQ(world.object(mutex).mutex.depth, 2u);
}

TEST_F(ConditionTest, AWaitReturnsWhatTheMutexSaysWhenItsOwnerDied) {
  world.object(mutex).mutex.robust = true;
  const TaskId waiter = add_waiter(), other = add_task();
  run(other, MutexLock, mutex);
  run(0, ConditionSignal, condition);
  run(other, ThreadExit, world.task(other).thread);
  EXPECT_EQ(step(waiter).result, EOWNERDEAD);
}

TEST_F(ConditionTest, WaitersWithDifferentMutexesAreMisuse) {
  add_waiter();
  const ObjectId other = add(ObjectKind::Mutex);
  run(0, MutexLock, other);
  expect_misuse(run(0, wait_on(condition, other)), "two threads wait on one condition variable with different mutexes");
  EXPECT_EQ(world.object(other).mutex.owner, 0);
}

TEST_F(ConditionTest, AnotherMutexIsFineOnceTheEarlierWaitersHaveBeenWoken) {
  add_waiter();
  const ObjectId other = add(ObjectKind::Mutex);
  run(0, MutexLock, other);
  run(0, ConditionBroadcast, condition);
  EXPECT_EQ(run(0, wait_on(condition, other)).misuse, nullptr);
}

TEST_F(ConditionTest, DestroyIsMisuseOnlyWhileThreadsWait) {
  add_waiter();
  expect_misuse(run(0, ConditionDestroy, condition), "destroyed a condition variable that threads wait on");
  const ObjectId other = add(ObjectKind::Condition);
  EXPECT_EQ(run(add_task(), ConditionDestroy, other).misuse, nullptr);
  const TaskId user = add_task();
  for (const OperationKind kind : {ConditionWait, ConditionSignal, ConditionBroadcast, ConditionDestroy})
    expect_misuse(run(user, kind, other), "used a condition variable after it was destroyed");
}

TEST_F(ConditionTest, DestroyRightAfterABroadcastIsAllowed) {
  const TaskId waiter = add_waiter();
  run(0, ConditionBroadcast, condition);
  EXPECT_EQ(run(0, ConditionDestroy, condition).misuse, nullptr);
  EXPECT_EQ(step(waiter).misuse, nullptr);
}

TEST_F(ConditionTest, AWaitWithADestroyedMutexIsMisuse) {
  run(0, MutexDestroy, mutex);
  expect_misuse(run(0, wait_on(condition, mutex)), "used a mutex after it was destroyed");
}

class SpuriousConditionTest : public ConditionTest {
 protected:
  SpuriousConditionTest() : ConditionTest({.timeouts = Timeouts::Early, .spurious_wakeups = 1}) {}
};

TEST_F(SpuriousConditionTest, AWaitMayEndForNoReasonWithResultZero) {
  const TaskId waiter = add_waiter(), other = add_waiter();
  const Effect wake = step(waiter, kSpurious);
  EXPECT_FALSE(wake.completes || wake.timed_out);
  EXPECT_EQ(world.object(condition).condition.waiters.count, 1);
  EXPECT_EQ(step(waiter).result, 0);
  EXPECT_FALSE(allowed(world, {other, kSpurious}));
}

// --- whole programs

struct Flag {
  bool set = false;
  bool seen = false;
};

Body wait_for_flag(Flag& flag, ObjectId mutex, ObjectId condition, bool in_loop) {
  co_await operation(MutexLock, mutex);
  if (in_loop)
    while (!flag.set) co_await wait_on(condition, mutex);
  else
    co_await wait_on(condition, mutex);
  flag.seen = flag.set;
  co_await operation(MutexUnlock, mutex);
}

Body set_flag(Flag& flag, ObjectId mutex, ObjectId condition) {
  co_await operation(MutexLock, mutex);
  flag.set = true;
  co_await operation(MutexUnlock, mutex);
  co_await operation(ConditionSignal, condition);
}

Exploration explore_flag(bool in_loop, std::uint32_t spurious_wakeups = 0) {
  Flag flag;
  ExploreOptions options;
  options.limits.spurious_wakeups = spurious_wakeups;
  options.at_decision = [](World& world, const Decision&) { expect_consistent(world); };
  return explore(
      [&](Program& program) {
        flag = Flag();
        const ObjectId mutex = program.add(ObjectKind::Mutex), condition = program.add(ObjectKind::Condition);
        program.add_task(wait_for_flag(flag, mutex, condition, in_loop));
        program.add_task(set_flag(flag, mutex, condition));
        program.outcome = [&flag] { return std::string(flag.seen ? "seen" : "missed"); };
      },
      options);
}

TEST(ConditionPrograms, AWaitInALoopNeverMissesTheSignal) {
  const Exploration result = explore_flag(true);
  EXPECT_TRUE(result.complete);
  EXPECT_EQ(result.deadlocks, 0u);
  EXPECT_EQ(result.outcomes, std::set<std::string>{"seen"});
}

TEST(ConditionPrograms, AWaitThatDoesNotLookFirstIsFoundToHang) {
  const Exploration result = explore_flag(false);
  EXPECT_GT(result.deadlocks, 0u);
  EXPECT_LT(result.deadlocks, result.executions);
}

TEST(ConditionPrograms, ASpuriousWakeUpBreaksOnlyTheWaitWithoutALoop) {
  EXPECT_EQ(explore_flag(true, 1).outcomes, std::set<std::string>{"seen"});
  EXPECT_TRUE(explore_flag(false, 1).outcomes.contains("missed"));
}

}  // namespace
}  // namespace heddle::model
