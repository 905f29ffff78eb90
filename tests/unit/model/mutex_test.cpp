// Mutexes: every type, with glibc's error values.
#include "model/mutex.h"

#include "model/choices.h"
#include "model/fixture.h"
#include "model/holder.h"

namespace heddle::model {
namespace {

using enum OperationKind;

class MutexTest : public ModelTest {
 protected:
  ObjectId add_mutex(MutexType type, bool robust = false) {
    const ObjectId mutex = add(ObjectKind::Mutex);
    world.object(mutex).mutex.type = type;
    world.object(mutex).mutex.robust = robust;
    return mutex;
  }
  // A second thread locks the mutex `times` times and ends.
  void die_holding(ObjectId mutex, int times = 1) {
    const TaskId task = add_task();
    for (int i = 0; i < times; ++i) run(task, MutexLock, mutex);
    run(task, ThreadExit, world.task(task).thread);
  }
};

TEST_F(MutexTest, LockTakesAFreeMutexAndUnlockReleasesIt) {
  const ObjectId mutex = add_mutex(MutexType::Normal);
  EXPECT_EQ(run(0, MutexLock, mutex).result, 0);
  EXPECT_EQ(world.object(mutex).mutex.owner, 0);
  const Effect unlock = run(0, MutexUnlock, mutex);
  EXPECT_EQ(unlock.result, 0);
  EXPECT_TRUE(unlock.released);
  EXPECT_EQ(world.object(mutex).mutex.owner, kNoTask);
}

TEST_F(MutexTest, WaitersAreEnabledByTheUnlockAndOnlyOneGetsIt) {
  const ObjectId mutex = add_mutex(MutexType::Normal);
  const TaskId second = add_task(), third = add_task();
  run(0, MutexLock, mutex);
  publish(second, operation(MutexLock, mutex));
  publish(third, operation(MutexLock, mutex));
  EXPECT_FALSE(enabled(second) || enabled(third));
  run(0, MutexUnlock, mutex);
  EXPECT_TRUE(enabled(second) && enabled(third));
  step(third);
  EXPECT_FALSE(enabled(second));
}

TEST_F(MutexTest, NormalRelockWaitsForEver) {
  const ObjectId mutex = add_mutex(MutexType::Normal);
  run(0, MutexLock, mutex);
  publish(0, operation(MutexLock, mutex));
  EXPECT_FALSE(enabled(0));
  EXPECT_EQ(world.decide().status, Decision::Status::Deadlock);
}

TEST_F(MutexTest, RecursiveRelockCountsAndOnlyTheLastUnlockReleases) {
  const ObjectId mutex = add_mutex(MutexType::Recursive);
  run(0, MutexLock, mutex);
  EXPECT_EQ(run(0, MutexLock, mutex).result, 0);
  EXPECT_EQ(run(0, MutexTryLock, mutex).result, 0);
  EXPECT_EQ(world.object(mutex).mutex.depth, 3u);
  EXPECT_FALSE(run(0, MutexUnlock, mutex).released);
  EXPECT_FALSE(run(0, MutexUnlock, mutex).released);
  EXPECT_TRUE(run(0, MutexUnlock, mutex).released);
  expect_refused(run(0, MutexUnlock, mutex), EPERM);
}

TEST_F(MutexTest, RecursiveDepthIsLimitedWithEagain) {
  const ObjectId mutex = add_mutex(MutexType::Recursive);
  run(0, MutexLock, mutex);
  world.object(mutex).mutex.depth = UINT32_MAX;
  expect_refused(run(0, MutexLock, mutex), EAGAIN);
  expect_refused(run(0, MutexTryLock, mutex), EAGAIN);
}

TEST_F(MutexTest, ErrorCheckRelockGivesEdeadlkTimedOrNot) {
  const ObjectId mutex = add_mutex(MutexType::ErrorCheck);
  run(0, MutexLock, mutex);
  expect_refused(run(0, MutexLock, mutex), EDEADLK);
  expect_refused(run(0, until(100, operation(MutexLock, mutex))), EDEADLK);
  expect_refused(run(0, MutexTryLock, mutex), EBUSY);
}

TEST_F(MutexTest, UnlockByAnotherThreadIsMisuseOnlyWhereItIsUndefined) {
  const TaskId second = add_task();
  const ObjectId normal = add_mutex(MutexType::Normal), recursive = add_mutex(MutexType::Recursive),
                 checked = add_mutex(MutexType::ErrorCheck), robust = add_mutex(MutexType::Normal, true);
  for (const ObjectId mutex : {normal, recursive, checked, robust}) run(0, MutexLock, mutex);
  for (const ObjectId mutex : {recursive, checked, robust}) expect_refused(run(second, MutexUnlock, mutex), EPERM);
  expect_misuse(run(second, MutexUnlock, normal), "unlocked a mutex that another thread holds");
}

TEST_F(MutexTest, UnlockOfAFreeMutexIsMisuseOnlyWhereItIsUndefined) {
  expect_refused(run(0, MutexUnlock, add_mutex(MutexType::ErrorCheck)), EPERM);
  expect_refused(run(0, MutexUnlock, add_mutex(MutexType::Recursive)), EPERM);
  expect_refused(run(0, MutexUnlock, add_mutex(MutexType::Normal, true)), EPERM);
  expect_misuse(run(0, MutexUnlock, add_mutex(MutexType::Normal)), "unlocked a mutex that nobody holds");
}

TEST_F(MutexTest, MisuseLeavesTheOperationPending) {
  expect_misuse(run(0, MutexUnlock, add_mutex(MutexType::Normal)), "unlocked a mutex that nobody holds");
  EXPECT_TRUE(world.task(0).published);
  EXPECT_EQ(pending(0), MutexUnlock);
}

TEST_F(MutexTest, TryLockOfAHeldMutexIsBusyAndChangesNothing) {
  const ObjectId mutex = add_mutex(MutexType::Normal);
  EXPECT_EQ(run(0, MutexTryLock, mutex).result, 0);
  expect_refused(run(0, MutexTryLock, mutex), EBUSY);
  expect_refused(run(add_task(), MutexTryLock, mutex), EBUSY);
}

TEST_F(MutexTest, TimedLockEndsByItsDeadlineAndMovesTheClock) {
  const ObjectId mutex = add_mutex(MutexType::Normal);
  const TaskId second = add_task();
  run(0, MutexLock, mutex);
  expect_timed_out(run(second, until(50, operation(MutexLock, mutex)), kTimeout));
  EXPECT_EQ(world.clock().now(), 50);
  EXPECT_EQ(world.object(mutex).mutex.owner, 0);
}

TEST_F(MutexTest, TimedLockOfAFreeMutexSucceedsEvenAfterItsDeadline) {
  const ObjectId mutex = add_mutex(MutexType::Normal);
  world.advance_clock(100);
  EXPECT_EQ(run(0, until(50, operation(MutexLock, mutex))).result, 0);
}

TEST_F(MutexTest, TimedLockOfAHeldMutexAfterItsDeadlineTimesOutByAnOrdinaryStep) {
  const ObjectId mutex = add_mutex(MutexType::Normal);
  const TaskId second = add_task();
  run(0, MutexLock, mutex);
  world.advance_clock(100);
  expect_timed_out(run(second, until(50, operation(MutexLock, mutex))));
}

TEST_F(MutexTest, RobustMutexOfADeadThreadIsTakenOverWithEownerdead) {
  const ObjectId mutex = add_mutex(MutexType::Normal, true);
  publish(0, operation(MutexLock, mutex));
  step(0);
  run(0, MutexUnlock, mutex);
  die_holding(mutex);
  const Effect lock = run(0, MutexLock, mutex);
  EXPECT_EQ(lock.result, EOWNERDEAD);
  EXPECT_TRUE(lock.wrote);
  EXPECT_EQ(mutex_consistent(world, 0, mutex), 0);
  run(0, MutexUnlock, mutex);
  EXPECT_EQ(run(0, MutexTryLock, mutex).result, 0);
}

TEST_F(MutexTest, TheEndOfTheOwnerEnablesWaitersOfARobustMutexOnly) {
  const ObjectId robust = add_mutex(MutexType::Normal, true), normal = add_mutex(MutexType::Normal);
  const TaskId owner = add_task(), third = add_task();
  run(owner, MutexLock, robust);
  run(owner, MutexLock, normal);
  publish(0, operation(MutexLock, robust));
  publish(third, operation(MutexLock, normal));
  run(owner, ThreadExit, world.task(owner).thread);
  EXPECT_TRUE(enabled(0));
  EXPECT_FALSE(enabled(third));
  EXPECT_EQ(world.task(owner).robust_held, 0);
}

TEST_F(MutexTest, RobustMutexUnlockedInconsistentIsLostForAll) {
  const ObjectId mutex = add_mutex(MutexType::Normal, true);
  const TaskId waiter = add_task();
  die_holding(mutex);
  EXPECT_EQ(run(0, MutexTryLock, mutex).result, EOWNERDEAD);
  publish(waiter, operation(MutexLock, mutex));
  EXPECT_FALSE(enabled(waiter));
  EXPECT_EQ(run(0, MutexUnlock, mutex).result, 0);
  expect_refused(step(waiter), ENOTRECOVERABLE);
  expect_refused(run(0, MutexLock, mutex), ENOTRECOVERABLE);
  expect_refused(run(0, MutexTryLock, mutex), ENOTRECOVERABLE);
  expect_refused(run(0, MutexUnlock, mutex), EPERM);
}

TEST_F(MutexTest, RobustRecursiveMutexIsTakenOverAtDepthOne) {
  const ObjectId mutex = add_mutex(MutexType::Recursive, true);
  die_holding(mutex, 2);
  EXPECT_EQ(run(0, MutexLock, mutex).result, EOWNERDEAD);
  EXPECT_EQ(run(0, MutexTryLock, mutex).result, 0);  // glibc's: measured
  EXPECT_EQ(run(0, MutexUnlock, mutex).result, 0);
  EXPECT_EQ(run(0, MutexUnlock, mutex).result, 0);
  expect_refused(run(0, MutexLock, mutex), ENOTRECOVERABLE);
}

TEST_F(MutexTest, AnOwnerThatDiesInconsistentLeavesItToTheNext) {
  const ObjectId mutex = add_mutex(MutexType::Normal, true);
  die_holding(mutex);
  die_holding(mutex);
  EXPECT_EQ(run(0, MutexLock, mutex).result, EOWNERDEAD);
}

TEST_F(MutexTest, ConsistentNeedsARobustMutexInNeedOfRepairAndItsOwner) {
  const ObjectId normal = add_mutex(MutexType::Normal), robust = add_mutex(MutexType::Normal, true);
  run(0, MutexLock, normal);
  EXPECT_EQ(mutex_consistent(world, 0, normal), EINVAL);
  die_holding(robust);
  EXPECT_EQ(mutex_consistent(world, 0, robust), EINVAL);
  run(0, MutexLock, robust);
  EXPECT_EQ(mutex_consistent(world, add_task(), robust), EPERM);
  EXPECT_EQ(mutex_consistent(world, 0, robust), 0);
  EXPECT_EQ(mutex_consistent(world, 0, robust), EINVAL);
}

TEST_F(MutexTest, DestroyOfALockedMutexIsMisuse) {
  const ObjectId mutex = add_mutex(MutexType::Normal);
  run(0, MutexLock, mutex);
  expect_misuse(run(0, MutexDestroy, mutex), "destroyed a mutex that is still locked");
  publish(add_task(), operation(MutexLock, mutex));
  expect_misuse(step(0), "destroyed a mutex that threads are waiting for");
  EXPECT_FALSE(world.object(mutex).is_gone());
}

TEST_F(MutexTest, EveryUseAfterDestroyIsMisuse) {
  const ObjectId mutex = add_mutex(MutexType::Normal);
  const TaskId second = add_task();
  publish(second, operation(MutexLock, mutex));
  EXPECT_EQ(run(0, MutexDestroy, mutex).misuse, nullptr);
  expect_misuse(step(second), "used a mutex after it was destroyed");
  for (const OperationKind kind : {MutexLock, MutexTryLock, MutexUnlock, MutexReacquire, MutexDestroy})
    expect_misuse(run(0, kind, mutex), "used a mutex after it was destroyed");
}

TEST_F(MutexTest, HolderNamesTheOwnerAndWhereItTookTheMutex) {
  const ObjectId mutex = add_mutex(MutexType::Normal);
  Site since = 1;
  EXPECT_EQ(holder(world, mutex, &since), kNoTask);
  EXPECT_EQ(since, 0u);
  run(0, MutexLock, mutex);
  EXPECT_EQ(holder(world, mutex, &since), 0);
  EXPECT_EQ(since, operation(MutexLock).site);
}

class SpuriousMutexTest : public ModelTest {
 protected:
  SpuriousMutexTest() : ModelTest({.timeouts = Timeouts::Early, .spurious_wakeups = 1}) {}
};

TEST_F(SpuriousMutexTest, TryLockMayFailForNoReasonAsOftenAsTheBudgetAllows) {
  const ObjectId mutex = add(ObjectKind::Mutex);
  expect_refused(run(0, operation(MutexTryLock, mutex), kSpurious), EBUSY);
  publish(0, operation(MutexTryLock, mutex));
  EXPECT_FALSE(allowed(world, {0, kSpurious}));
  EXPECT_EQ(step(0).result, 0);
}

}  // namespace
}  // namespace heddle::model
