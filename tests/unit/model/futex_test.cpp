// Futexes, as the kernel has them.
#include "model/fixture.h"

namespace heddle::model {
namespace {

using enum OperationKind;

constexpr std::uint32_t kAll = 0xffffffff;

class FutexTest : public ModelTest {
 protected:
  explicit FutexTest(const Limits& limits = {}) : ModelTest(limits) {}
  Operation wait(std::uint32_t expected, std::uint32_t bits = kAll) const {
    Operation result = operation(FutexWait, futex);
    result.word = &word;
    result.expected = expected;
    result.argument = bits;
    return result;
  }
  Operation wake(std::uint32_t how_many, std::uint32_t bits = kAll) const {
    Operation result = operation(FutexWake, futex);
    result.argument = std::uint64_t{bits} << 32 | how_many;
    return result;
  }
  TaskId add_waiter(std::uint32_t bits = kAll) {
    const TaskId task = add_task();
    run(task, wait(0, bits));
    return task;
  }
  std::uint32_t word = 0;
  const ObjectId futex = add(ObjectKind::Futex);
};

TEST_F(FutexTest, AWaitForAnotherValueReturnsAtOnceWithEagain) {
  expect_refused(run(0, wait(1)), EAGAIN);
  EXPECT_EQ(world.object(futex).futex.waiters.count, 0);
}

TEST_F(FutexTest, TheWordIsComparedWhenTheStepIsTakenAndNotBefore) {
  publish(0, wait(0));
  word = 1;
  expect_refused(step(0), EAGAIN);
}

TEST_F(FutexTest, AWaiterGoesOnOnceItIsWoken) {
  const TaskId waiter = add_waiter();
  EXPECT_FALSE(enabled(waiter));
  const Effect effect = run(0, wake(1));
  EXPECT_EQ(effect.result, 1);
  EXPECT_TRUE(effect.wrote && effect.released);
  EXPECT_EQ(world.object(futex).futex.waiters.count, 0);
  EXPECT_EQ(step(waiter).result, 0);
  EXPECT_FALSE(world.task(waiter).signalled);
}

TEST_F(FutexTest, AWakeWithoutWaitersDoesNothing) { expect_refused(run(0, wake(1)), 0); }

TEST_F(FutexTest, WhichOneOfSeveralIsWokenIsAChoice) {
  const TaskId first = add_waiter(), second = add_waiter(), third = add_waiter();
  publish(0, wake(1));
  EXPECT_EQ(world.variants(0), 3);
  EXPECT_EQ(step(0, 2).result, 1);
  EXPECT_FALSE(enabled(first) || enabled(second));
  EXPECT_TRUE(enabled(third));
}

TEST_F(FutexTest, SeveralAreWokenInTheOrderOfArrival) {
  const TaskId first = add_waiter(), second = add_waiter(), third = add_waiter();
  publish(0, wake(2));
  EXPECT_EQ(world.variants(0), 1);
  EXPECT_EQ(step(0).result, 2);
  EXPECT_TRUE(enabled(first) && enabled(second));
  EXPECT_FALSE(enabled(third));
}

TEST_F(FutexTest, WakingAllReturnsHowManyThereWere) {
  add_waiter();
  add_waiter();
  EXPECT_EQ(run(0, wake(INT32_MAX)).result, 2);
}

TEST_F(FutexTest, ZeroAndNegativeNumbersWakeOneAsTheKernelDoes) {
  add_waiter();
  add_waiter();
  EXPECT_EQ(run(0, wake(0)).result, 1);
  EXPECT_EQ(run(0, wake(0xffffffff)).result, 1);
}

TEST_F(FutexTest, OnlyWaitersWhoseBitsMeetAreWokenAndCounted) {
  const TaskId first = add_waiter(1), second = add_waiter(2), third = add_waiter(3);
  publish(0, wake(1, 2));
  EXPECT_EQ(world.variants(0), 2);
  step(0, 1);
  EXPECT_TRUE(enabled(third));
  EXPECT_EQ(run(0, wake(INT32_MAX, 1)).result, 1);
  EXPECT_TRUE(enabled(first));
  EXPECT_FALSE(enabled(second));
  expect_refused(run(0, wake(1, 4)), 0);
}

TEST_F(FutexTest, AnEmptyBitSetIsInvalid) {
  expect_refused(run(0, wait(0, 0)), EINVAL);
  expect_refused(run(0, wake(1, 0)), EINVAL);
}

TEST_F(FutexTest, ATimedWaitLeavesTheQueueWithEtimedout) {
  publish(0, until(10, wait(0)));
  step(0);
  const Effect effect = step(0, kTimeout);
  EXPECT_EQ(effect.result, ETIMEDOUT);
  EXPECT_TRUE(effect.timed_out && effect.completes);
  EXPECT_EQ(world.object(futex).futex.waiters.count, 0);
}

TEST_F(FutexTest, AWokenWaiterCanNoLongerTimeOut) {
  const TaskId waiter = add_task();
  run(waiter, until(10, wait(0)));
  run(0, wake(1));
  world.advance_clock(100);
  EXPECT_FALSE(world.allowed({waiter, kTimeout}));
  EXPECT_EQ(step(waiter).result, 0);
}

class SpuriousFutexTest : public FutexTest {
 protected:
  SpuriousFutexTest() : FutexTest({.early_timeouts = true, .spurious_wakeups = 1}) {}
};

TEST_F(SpuriousFutexTest, AWaitMayEndForNoReasonUnlessItIsWokenAlready) {
  const TaskId first = add_waiter(), second = add_waiter();
  run(0, wake(1));
  EXPECT_FALSE(world.allowed({first, kSpurious}));
  EXPECT_EQ(step(second, kSpurious).result, 0);
  EXPECT_EQ(world.object(futex).futex.waiters.count, 0);
}

}  // namespace
}  // namespace heddle::model
