// Futexes, as the kernel has them.
#include <bit>
#include <set>

#include "model/choices.h"
#include "model/fixture.h"
#include "model/holder.h"
#include "protocol/thread_numbers.h"

namespace heddle::model {
namespace {

using enum OperationKind;

constexpr std::uint32_t kAll = 0xffffffff;
constexpr std::uint32_t kProcess = 100;
constexpr ThreadNumbers kNumbers{kProcess};

class FutexTest : public ModelTest {
 protected:
  explicit FutexTest(const Limits& limits = {}) : ModelTest(limits) {}
  Operation wait(std::uint32_t expected, std::uint32_t bits = kAll) {
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
  Operation requeue(std::uint32_t woken, std::uint32_t moved) const {
    Operation result = operation(FutexRequeue, futex);
    result.object2 = other;
    result.argument = std::uint64_t{moved} << 32 | woken;
    return result;
  }
  Operation wake_operation(std::uint32_t code) {
    Operation result = operation(FutexWakeOperation, futex);
    result.object2 = other;
    result.argument = std::uint64_t{1} << 32 | 1;
    result.word = &word;
    result.expected = code;
    return result;
  }
  Operation lock(OperationKind kind) {
    Operation result = operation(kind, futex);
    result.word = &word;
    result.argument = kNumbers.packed();
    return result;
  }
  std::uint32_t word = 0;
  const ObjectId futex = add(ObjectKind::Futex);
  const ObjectId other = add(ObjectKind::Futex);
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
  EXPECT_EQ(variants(world, 0), 3);
  EXPECT_EQ(step(0, 2).result, 1);
  EXPECT_FALSE(enabled(first) || enabled(second));
  EXPECT_TRUE(enabled(third));
}

TEST_F(FutexTest, SeveralAreWokenInTheOrderOfArrivalByDefault) {
  const TaskId first = add_waiter(), second = add_waiter(), third = add_waiter();
  publish(0, wake(2));
  EXPECT_EQ(variants(world, 0), 3);
  EXPECT_EQ(step(0).result, 2);
  EXPECT_TRUE(enabled(first) && enabled(second));
  EXPECT_FALSE(enabled(third));
}

TEST_F(FutexTest, WhichOfThemAreWokenIsAChoice) {
  const TaskId first = add_waiter(), second = add_waiter(), third = add_waiter();
  publish(0, wake(2));
  EXPECT_EQ(step(0, 2).result, 2);
  EXPECT_FALSE(enabled(first));
  EXPECT_TRUE(enabled(second) && enabled(third));
}

TEST_F(FutexTest, WhereThereAreTooManyWaysTheFirstAreWoken) {
  const TaskId first = add_waiter(), second = add_waiter();
  for (int i = 0; i < 15; ++i) add_waiter();
  publish(0, wake(2));
  EXPECT_EQ(variants(world, 0), 1);
  EXPECT_EQ(step(0).result, 2);
  EXPECT_TRUE(enabled(first) && enabled(second));
}

TEST(WaysToChoose, EachIsADifferentSetOfTheWantedSize) {
  for (std::uint32_t size = 2; size <= 8; ++size) {
    for (std::uint32_t count = 2; count < size; ++count) {
      std::set<std::uint32_t> seen;
      for (std::uint16_t n = 0; n < ways_to_choose(size, count); ++n) {
        const std::uint32_t chosen = nth_way_to_choose(size, count, n);
        EXPECT_EQ(std::popcount(chosen), static_cast<int>(count));
        EXPECT_LT(chosen, 1u << size);
        seen.insert(chosen);
      }
      EXPECT_EQ(seen.size(), ways_to_choose(size, count));
    }
  }
  EXPECT_EQ(ways_to_choose(8, 3), 56);
  EXPECT_EQ(nth_way_to_choose(8, 3, 0), 7u);
}

// --- requeue

TEST_F(FutexTest, ARequeueWakesSomeAndMovesOthersInTheOrderOfArrival) {
  const TaskId first = add_waiter(), second = add_waiter(), third = add_waiter(), fourth = add_waiter();
  EXPECT_EQ(run(0, requeue(1, 2)).result, 3);
  EXPECT_TRUE(enabled(first));
  EXPECT_EQ(world.object(futex).futex.waiters.count, 1);
  EXPECT_EQ(world.object(other).futex.waiters.count, 2);
  EXPECT_EQ(world.task(second).pending.object, other);
  EXPECT_EQ(world.task(third).pending.object, other);
  EXPECT_EQ(run(0, wake(100)).result, 1);
  EXPECT_TRUE(enabled(fourth));
  Operation wake_moved = wake(100);
  wake_moved.object = other;
  EXPECT_EQ(run(0, wake_moved).result, 2);
  EXPECT_TRUE(enabled(second) && enabled(third));
}

TEST_F(FutexTest, WhichOneARequeueWakesIsAChoice) {
  const TaskId first = add_waiter(), second = add_waiter();
  publish(0, requeue(1, 5));
  EXPECT_EQ(variants(world, 0), 2);
  EXPECT_EQ(step(0, 1).result, 2);
  EXPECT_TRUE(enabled(second));
  EXPECT_EQ(world.task(first).pending.object, other);
}

TEST_F(FutexTest, ARequeueThatComparesFindsAnotherValue) {
  add_waiter();
  Operation compare = requeue(1, 1);
  compare.word = &word;
  compare.expected = 1;
  expect_refused(run(0, compare), -EAGAIN);
  compare.expected = 0;
  EXPECT_EQ(run(0, compare).result, 1);
}

TEST_F(FutexTest, AMovedWaiterTimesOutFromItsNewQueue) {
  const TaskId waiter = add_task();
  run(waiter, until(10, wait(0)));
  EXPECT_EQ(run(0, requeue(0, 1)).result, 1);
  const Effect effect = step(waiter, kTimeout);
  EXPECT_EQ(effect.result, ETIMEDOUT);
  EXPECT_EQ(world.object(other).futex.waiters.count, 0);
}

TEST_F(FutexTest, ARequeueToItselfCountsAndMovesNobody) {
  add_waiter();
  Operation same = requeue(0, 5);
  same.object2 = futex;
  EXPECT_EQ(run(0, same).result, 1);
  EXPECT_EQ(world.object(futex).futex.waiters.count, 1);
}

// --- wake operation

TEST_F(FutexTest, AWakeOperationChangesTheWordAndComparesWhatItWas) {
  constexpr std::uint32_t kAdd = 1u << 28, kOr = 2u << 28, kAndNot = 3u << 28, kXor = 4u << 28, kShift = 8u << 28;
  word = 5;
  run(0, wake_operation(kAdd | 3u << 12));
  EXPECT_EQ(word, 8u);
  run(0, wake_operation(kOr | kShift | 4u << 12));
  EXPECT_EQ(word, 24u);
  run(0, wake_operation(kAndNot | 8u << 12));
  EXPECT_EQ(word, 16u);
  run(0, wake_operation(kXor | 0xfffu << 12));
  EXPECT_EQ(word, ~16u);
  run(0, wake_operation(0));
  EXPECT_EQ(word, 0u);
  expect_refused(run(0, wake_operation(7u << 28)), -ENOSYS);
  expect_refused(run(0, wake_operation(9u << 24)), -ENOSYS);
}

TEST_F(FutexTest, AWakeOperationWakesTheSecondOnlyIfTheComparisonHolds) {
  constexpr std::uint32_t kIsLess = 2u << 24;
  const TaskId first = add_waiter(), second = add_task();
  Operation on_other = wait(0);
  on_other.object = other;
  run(second, on_other);
  EXPECT_EQ(run(0, wake_operation(kIsLess)).result, 1);
  EXPECT_TRUE(enabled(first));
  EXPECT_FALSE(enabled(second));
  EXPECT_EQ(run(0, wake_operation(kIsLess | 1)).result, 1);
  EXPECT_TRUE(enabled(second));
}

// --- locks

TEST_F(FutexTest, ALockTakesAFreeWordAndGivesItBack) {
  EXPECT_EQ(run(0, lock(FutexLock)).result, 0);
  EXPECT_EQ(word, kProcess);
  EXPECT_EQ(holder(world, futex, nullptr), 0);
  expect_refused(run(0, lock(FutexLock)), EDEADLK);
  expect_refused(run(0, lock(FutexTryLock)), EDEADLK);
  EXPECT_TRUE(run(0, lock(FutexUnlock)).released);
  EXPECT_EQ(word, 0u);
  expect_refused(run(0, lock(FutexUnlock)), EPERM);
}

TEST_F(FutexTest, ALockThatWaitsIsHandedOver) {
  const TaskId second = add_task(), third = add_task();
  run(0, lock(FutexLock));
  run(second, lock(FutexLock));
  run(third, lock(FutexLock));
  EXPECT_EQ(word, kProcess | 0x80000000);
  EXPECT_FALSE(enabled(second));
  expect_refused(run(0, wake(1)), -EINVAL);
  run(0, lock(FutexUnlock));
  EXPECT_EQ(word, kNumbers.of(second) | 0x80000000);
  EXPECT_EQ(holder(world, futex, nullptr), second);
  EXPECT_TRUE(enabled(second));
  EXPECT_FALSE(enabled(third));
  expect_refused(run(0, lock(FutexTryLock)), EAGAIN);
  EXPECT_EQ(step(second).result, 0);
  run(second, lock(FutexUnlock));
  EXPECT_EQ(step(third).result, 0);
  run(third, lock(FutexUnlock));
  EXPECT_EQ(word, 0u);
}

TEST_F(FutexTest, ALockWhoseOwnerEndsIsHandedOverWithABitThatSaysSo) {
  const TaskId owner = add_task(), second = add_task();
  run(owner, lock(FutexLock));
  run(second, lock(FutexLock));
  run(owner, ThreadExit, world.task(owner).thread);
  EXPECT_EQ(step(second).result, 0);
  EXPECT_EQ(word, kNumbers.of(second) | 0xc0000000);
  EXPECT_EQ(world.population().lock_waits(), 0u);
}

TEST_F(FutexTest, ALockOfTheFirstThreadIsHandedOverWhenThatEnds) {
  const TaskId second = add_task();
  run(0, lock(FutexLock));
  run(second, lock(FutexLock));
  run(0, ThreadExit, world.task(0).thread);
  EXPECT_EQ(step(second).result, 0);
  EXPECT_EQ(word, kNumbers.of(second) | 0xc0000000);
}

TEST_F(FutexTest, ALockThatTheFirstThreadWaitsForIsHandedOverToIt) {
  const TaskId owner = add_task();
  run(owner, lock(FutexLock));
  run(0, lock(FutexLock));
  run(owner, ThreadExit, world.task(owner).thread);
  EXPECT_EQ(step(0).result, 0);
  EXPECT_EQ(word, kProcess | 0xc0000000);
}

TEST_F(FutexTest, ALockMayTimeOut) {
  const TaskId second = add_task();
  run(0, lock(FutexLock));
  run(second, until(10, lock(FutexLock)));
  EXPECT_EQ(step(second, kTimeout).result, ETIMEDOUT);
  EXPECT_EQ(world.object(futex).futex.waiters.count, 0);
}

TEST_F(FutexTest, ALockOfAThreadThatIsNotThere) {
  for (const std::uint32_t number : {kNumbers.of(999), kProcess + 1, ThreadNumbers::kKernelEnd}) {
    word = number;
    EXPECT_EQ(run(0, lock(FutexLock)).result, ESRCH);
    EXPECT_EQ(word, number | 0x80000000);
  }
}

TEST(ThreadNumbersTest, OfAChildThatAThreadForked) {
  constexpr ThreadNumbers numbers{kProcess, 2};
  EXPECT_EQ(numbers.of(2), kProcess);
  EXPECT_EQ(numbers.task_with(kProcess, 4), 2);
  EXPECT_EQ(numbers.task_with(numbers.of(3), 4), 3);
  EXPECT_EQ(numbers.task_with(numbers.of(3), 3), kNoTask);
  EXPECT_EQ(numbers.task_with(ThreadNumbers::kKernelEnd + 2, 4), kNoTask);
  EXPECT_EQ(numbers.task_with(kProcess + 1, 4), kNoTask);
  EXPECT_EQ(ThreadNumbers::unpacked(numbers.packed()).first, 2);
}

TEST_F(FutexTest, ALockOfTheFirstThread) {
  word = kProcess;
  const TaskId second = add_task();
  run(second, lock(FutexLock));
  EXPECT_FALSE(enabled(second));
}

TEST_F(FutexTest, ALockKeepsTheBitOfADeadOwner) {
  word = 0x40000000;
  EXPECT_EQ(run(0, lock(FutexTryLock)).result, 0);
  EXPECT_EQ(word, kProcess | 0x40000000);
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
  EXPECT_EQ(variants(world, 0), 2);
  step(0, 1);
  EXPECT_TRUE(enabled(third));
  EXPECT_EQ(run(0, wake(INT32_MAX, 1)).result, 1);
  EXPECT_TRUE(enabled(first));
  EXPECT_FALSE(enabled(second));
  expect_refused(run(0, wake(1, 4)), 0);
}

TEST_F(FutexTest, AnEmptyBitSetIsInvalid) {
  expect_refused(run(0, wait(0, 0)), EINVAL);
  expect_refused(run(0, wake(1, 0)), -EINVAL);
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
  EXPECT_FALSE(allowed(world, {waiter, kTimeout}));
  EXPECT_EQ(step(waiter).result, 0);
}

class SpuriousFutexTest : public FutexTest {
 protected:
  SpuriousFutexTest() : FutexTest({.timeouts = Timeouts::Early, .spurious_wakeups = 1}) {}
};

TEST_F(SpuriousFutexTest, AWaitMayEndForNoReasonUnlessItIsWokenAlready) {
  const TaskId first = add_waiter(), second = add_waiter();
  run(0, wake(1));
  EXPECT_FALSE(allowed(world, {first, kSpurious}));
  EXPECT_EQ(step(second, kSpurious).result, 0);
  EXPECT_EQ(world.object(futex).futex.waiters.count, 0);
}

}  // namespace
}  // namespace heddle::model
