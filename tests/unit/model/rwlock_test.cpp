// Reader-writer locks: who goes in beside whom, both preferences, and glibc's error values.
#include "model/explore.h"
#include "model/fixture.h"
#include "model/holder.h"

namespace heddle::model {
namespace {

using enum OperationKind;

class RwLockTest : public ModelTest {
 protected:
  const ObjectId lock = add(ObjectKind::RwLock);
  const TaskId second = add_task(), third = add_task();
};

TEST_F(RwLockTest, ReadersShareAndWritersDoNot) {
  run(0, ReadLock, lock);
  EXPECT_EQ(run(second, ReadLock, lock).result, 0);
  publish(third, operation(WriteLock, lock));
  EXPECT_FALSE(enabled(third));
  EXPECT_TRUE(run(0, RwUnlock, lock).released);
  EXPECT_FALSE(enabled(third));
  run(second, RwUnlock, lock);
  EXPECT_EQ(step(third).result, 0);
  publish(0, operation(ReadLock, lock));
  publish(second, operation(WriteLock, lock));
  EXPECT_FALSE(enabled(0) || enabled(second));
}

TEST_F(RwLockTest, AReaderMayReadAgainEvenWhileAWriterWaits) {
  run(0, ReadLock, lock);
  publish(second, operation(WriteLock, lock));
  EXPECT_EQ(run(0, ReadLock, lock).result, 0);
  run(0, RwUnlock, lock);
  EXPECT_FALSE(enabled(second));
  run(0, RwUnlock, lock);
  EXPECT_TRUE(enabled(second));
}

TEST_F(RwLockTest, TheWriterItselfGetsEdeadlkAndWithTryEbusy) {
  run(0, WriteLock, lock);
  expect_refused(run(0, ReadLock, lock), EDEADLK);
  expect_refused(run(0, WriteLock, lock), EDEADLK);
  expect_refused(run(0, until(10, operation(WriteLock, lock))), EDEADLK);
  expect_refused(run(0, TryReadLock, lock), EBUSY);
  expect_refused(run(0, TryWriteLock, lock), EBUSY);
}

TEST_F(RwLockTest, AReaderThatWantsToWriteWaitsForItself) {
  run(0, ReadLock, lock);
  publish(0, operation(WriteLock, lock));
  EXPECT_FALSE(enabled(0));
}

TEST_F(RwLockTest, TryVariantsFailWithEbusy) {
  run(0, ReadLock, lock);
  EXPECT_EQ(run(second, TryReadLock, lock).result, 0);
  expect_refused(run(third, TryWriteLock, lock), EBUSY);
  run(0, RwUnlock, lock);
  run(second, RwUnlock, lock);
  EXPECT_EQ(run(third, TryWriteLock, lock).result, 0);
  expect_refused(run(0, TryReadLock, lock), EBUSY);
}

TEST_F(RwLockTest, TimedVariantsEndByTheirDeadline) {
  run(0, WriteLock, lock);
  expect_timed_out(run(second, until(10, operation(ReadLock, lock)), kTimeout));
  expect_timed_out(run(third, until(20, operation(WriteLock, lock)), kTimeout));
  EXPECT_EQ(world.clock().now(), 20);
}

TEST_F(RwLockTest, TooManyReadersGiveEagain) {
  world.object(lock).rwlock.readers = UINT16_MAX;
  expect_refused(run(0, ReadLock, lock), EAGAIN);
}

TEST_F(RwLockTest, UnlockByOneWhoHoldsNothingIsMisuse) {
  expect_misuse(run(0, RwUnlock, lock), "unlocked a reader-writer lock that nobody holds");
  run(second, WriteLock, lock);
  expect_misuse(step(0), "unlocked a reader-writer lock that another thread holds");
}

TEST_F(RwLockTest, DestroyWhileHeldAndUseAfterDestroyAreMisuse) {
  run(0, ReadLock, lock);
  expect_misuse(run(second, RwDestroy, lock), "destroyed a reader-writer lock that is still locked");
  run(0, RwUnlock, lock);
  EXPECT_EQ(step(second).misuse, nullptr);
  for (const OperationKind kind : {ReadLock, WriteLock, TryReadLock, TryWriteLock, RwUnlock, RwDestroy})
    expect_misuse(run(0, kind, lock), "used a reader-writer lock after it was destroyed");
}

TEST_F(RwLockTest, HolderIsTheWriterOrTheLastReaderThatIsKnownToHoldIt) {
  run(0, ReadLock, lock);
  run(second, ReadLock, lock);
  EXPECT_EQ(holder(world, lock, nullptr), second);
  run(second, RwUnlock, lock);
  EXPECT_EQ(holder(world, lock, nullptr), kNoTask);  // a reader is left, and nobody knows who
  run(0, RwUnlock, lock);
  run(third, WriteLock, lock);
  Site since = 0;
  EXPECT_EQ(holder(world, lock, &since), third);
  EXPECT_EQ(since, operation(WriteLock).site);
}

class PreferWriterTest : public RwLockTest {
 protected:
  PreferWriterTest() { world.object(lock).rwlock.prefer_writer = true; }
};

TEST_F(PreferWriterTest, ReadersWaitBehindAWriterOnceItHasQueued) {
  run(0, ReadLock, lock);
  publish(second, operation(WriteLock, lock));
  publish(third, operation(ReadLock, lock));
  EXPECT_TRUE(enabled(second) && enabled(third));  // the writer has not arrived yet
  EXPECT_FALSE(step(second).completes);
  EXPECT_FALSE(enabled(second) || enabled(third));
  run(0, RwUnlock, lock);
  EXPECT_TRUE(enabled(second));
  EXPECT_FALSE(enabled(third));
  EXPECT_TRUE(step(second).completes);
  run(second, RwUnlock, lock);
  EXPECT_TRUE(enabled(third));
}

TEST_F(PreferWriterTest, AWriterHandsOverToQueuedWriters) {
  run(0, WriteLock, lock);
  run(second, WriteLock, lock);
  publish(third, operation(ReadLock, lock));
  run(0, RwUnlock, lock);
  EXPECT_FALSE(enabled(third));
  expect_refused(run(0, TryReadLock, lock), EBUSY);
  expect_refused(run(0, TryWriteLock, lock), EBUSY);
  EXPECT_TRUE(step(second).completes);
}

TEST_F(PreferWriterTest, ARecursiveReaderDeadlocksWithAQueuedWriter) {
  run(0, ReadLock, lock);
  run(second, WriteLock, lock);
  run(third, ThreadExit, world.task(third).thread);
  publish(0, operation(ReadLock, lock));
  EXPECT_EQ(world.decide().status, Decision::Status::Deadlock);
}

TEST_F(PreferWriterTest, AWriterThatTimesOutLetsReadersInAgain) {
  run(0, ReadLock, lock);
  run(second, until(10, operation(WriteLock, lock)));
  publish(third, operation(ReadLock, lock));
  EXPECT_FALSE(enabled(third));
  expect_timed_out(step(second, kTimeout));
  EXPECT_TRUE(enabled(third));
}

TEST_F(PreferWriterTest, ATakenLockIsQueuedForEvenAfterTheDeadlineAndThenTimesOut) {
  run(0, ReadLock, lock);
  world.advance_clock(100);
  EXPECT_FALSE(run(second, until(10, operation(WriteLock, lock))).completes);
  expect_timed_out(step(second));
}

TEST_F(PreferWriterTest, AFreeLockIsTakenInOneStep) {
  EXPECT_TRUE(run(0, WriteLock, lock).completes);
  EXPECT_EQ(world.object(lock).rwlock.writer, 0);
}

TEST_F(PreferWriterTest, DestroyWhileAWriterIsQueuedIsMisuse) {
  run(0, ReadLock, lock);
  run(second, WriteLock, lock);
  run(0, RwUnlock, lock);
  expect_misuse(run(0, RwDestroy, lock), "destroyed a reader-writer lock that threads are waiting for");
}

// --- whole programs

struct Inside {
  int readers = 0, writers = 0, most_readers = 0;
};

Body read(Inside& inside, ObjectId lock) {
  co_await operation(ReadLock, lock);
  EXPECT_EQ(inside.writers, 0);
  inside.most_readers = std::max(inside.most_readers, ++inside.readers);
  co_await operation(Yield);
  --inside.readers;
  co_await operation(RwUnlock, lock);
}

Body write(Inside& inside, ObjectId lock) {
  co_await operation(WriteLock, lock);
  EXPECT_EQ(inside.readers + inside.writers, 0);
  ++inside.writers;
  co_await operation(Yield);
  --inside.writers;
  co_await operation(RwUnlock, lock);
}

class RwLockPrograms : public testing::TestWithParam<bool> {};

TEST_P(RwLockPrograms, WritersAreAloneAndReadersCanMeet) {
  Inside inside;
  ExploreOptions options;
  options.at_decision = [](World& world, const Decision&) { expect_consistent(world); };
  const Exploration result = explore(
      [&](Program& program) {
        inside = Inside();
        const ObjectId lock = program.add(ObjectKind::RwLock);
        program.world().object(lock).rwlock.prefer_writer = GetParam();
        program.add_task(read(inside, lock));
        program.add_task(read(inside, lock));
        program.add_task(write(inside, lock));
        program.outcome = [&inside] { return std::to_string(inside.most_readers); };
      },
      options);
  EXPECT_TRUE(result.complete);
  EXPECT_EQ(result.deadlocks, 0u);
  EXPECT_EQ(result.outcomes, (std::set<std::string>{"1", "2"}));
}

INSTANTIATE_TEST_SUITE_P(BothPreferences, RwLockPrograms, testing::Bool());

}  // namespace
}  // namespace heddle::model
