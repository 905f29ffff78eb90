// What each kind of operation orders: one task writes, synchronizes, another synchronizes, and knows of the write or
// not.
#include "model/ordering.h"

#include <sys/mman.h>

#include "model/fixture.h"

namespace heddle::model {
namespace {

using enum OperationKind;

void* reserve(std::size_t bytes) {
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return memory != MAP_FAILED ? memory : nullptr;
}

VectorClocks& fresh_clocks() {
  static VectorClocks clocks;
  static const bool made = clocks.make_room(reserve);
  EXPECT_TRUE(made && clocks.begin_execution());
  return clocks;
}

class OrderingTest : public ModelTest {
 protected:
  OrderingTest() {
    for (int i = 0; i < 2; ++i) clocks.add_task(add_task(), 0);
  }
  void take(TaskId task, const Operation& what) {
    publish(task, what);
    go_on(task);
  }
  void take(TaskId task, OperationKind kind, ObjectId object) { take(task, operation(kind, object)); }
  // What the task is about to do takes effect.
  void go_on(TaskId task) {
    const Operation pending = world.task(task).pending;
    TakenStep taken{task, pending.kind, pending.object, pending.object2, observe_before_step(world, pending), {}};
    taken.effect = step(task);
    order_step(clocks, world, taken);
  }
  // From here on: has `reader` learned of what `writer` did up to the call of note()?
  void note(TaskId writer) {
    writer_ = writer;
    epoch_ = clocks.epoch(writer);
  }
  bool knows(TaskId reader) const { return clocks.knows(reader, writer_, epoch_); }

  VectorClocks& clocks = fresh_clocks();
  TaskId writer_ = 0;
  Epoch epoch_ = 0;
};

TEST_F(OrderingTest, AnUnlockOrdersTheNextLock) {
  const ObjectId mutex = add(ObjectKind::Mutex);
  note(1);
  take(1, MutexLock, mutex);
  EXPECT_FALSE(knows(2));
  take(1, MutexUnlock, mutex);
  EXPECT_FALSE(knows(2));
  take(2, MutexLock, mutex);
  EXPECT_TRUE(knows(2));
}

TEST_F(OrderingTest, AFailedTryLockOrdersNothing) {
  const ObjectId mutex = add(ObjectKind::Mutex);
  take(1, MutexLock, mutex);
  take(1, MutexUnlock, mutex);
  note(1);
  take(1, MutexLock, mutex);
  take(2, MutexTryLock, mutex);
  EXPECT_FALSE(knows(2));
}

TEST_F(OrderingTest, AConditionWaitReleasesItsMutexAndASignalOrdersNothing) {
  const ObjectId mutex = add(ObjectKind::Mutex), condition = add(ObjectKind::Condition);
  note(1);
  take(1, MutexLock, mutex);
  take(1, wait_on(condition, mutex));
  take(2, MutexLock, mutex);
  EXPECT_TRUE(knows(2));
  take(2, MutexUnlock, mutex);
  note(2);
  take(2, ConditionSignal, condition);
  go_on(1);  // takes the mutex again
  EXPECT_FALSE(knows(1));
}

TEST_F(OrderingTest, ReadersAreOrderedWithWritersOnly) {
  const ObjectId lock = add(ObjectKind::RwLock);
  note(1);
  take(1, ReadLock, lock);
  take(1, RwUnlock, lock);
  take(2, ReadLock, lock);
  EXPECT_FALSE(knows(2));
  take(2, RwUnlock, lock);
  take(2, WriteLock, lock);
  EXPECT_TRUE(knows(2));
  note(2);
  take(2, RwUnlock, lock);
  take(1, ReadLock, lock);
  EXPECT_TRUE(knows(1));
}

TEST_F(OrderingTest, APostOrdersAWait) {
  const ObjectId semaphore = add(ObjectKind::Semaphore);
  note(1);
  take(2, SemaphoreTryWait, semaphore);
  take(1, SemaphorePost, semaphore);
  take(2, SemaphoreWait, semaphore);
  EXPECT_TRUE(knows(2));
}

TEST_F(OrderingTest, ABarrierOrdersAllArrivalsBeforeAllThatLeave) {
  const ObjectId barrier = add(ObjectKind::Barrier);
  world.object(barrier).barrier.threshold = 2;
  note(2);
  take(1, BarrierArrive, barrier);
  take(2, BarrierArrive, barrier);
  EXPECT_FALSE(knows(1));
  go_on(1);
  EXPECT_TRUE(knows(1));
  note(1);
  EXPECT_FALSE(knows(2));
}

TEST_F(OrderingTest, TheLastToArriveKnowsOfTheOthers) {
  const ObjectId barrier = add(ObjectKind::Barrier);
  world.object(barrier).barrier.threshold = 2;
  note(1);
  take(1, BarrierArrive, barrier);
  take(2, BarrierArrive, barrier);
  EXPECT_TRUE(knows(2));
}

// A barrier or a condition variable may be destroyed at once by whom it lets go on.
TEST_F(OrderingTest, CallsThatGoOnBehindAWaitDoNotLookAtTheObjectAgain) {
  for (const OperationKind kind : {MutexLock, MutexUnlock, MutexReacquire, ConditionSignal, ConditionWait, RwUnlock,
                                   SemaphorePost, BarrierArrive, SpinUnlock})
    EXPECT_TRUE(uses_memory_of_object(kind)) << name(kind);
  for (const OperationKind kind : {BarrierLeave, BarrierRejoin, ConditionWake, ConditionRejoin, MutexDestroy,
                                   ThreadJoin, FutexWake, MemoryWrite, OnceEnd})
    EXPECT_FALSE(uses_memory_of_object(kind)) << name(kind);
}

TEST_F(OrderingTest, TheEndOfAThreadOrdersItsJoin) {
  note(1);
  take(1, ThreadExit, world.task(1).thread);
  EXPECT_FALSE(knows(2));
  take(2, ThreadJoin, world.task(1).thread);
  EXPECT_TRUE(knows(2));
}

TEST_F(OrderingTest, AJoinThatFailsOrdersNothing) {
  note(1);
  take(2, ThreadTryJoin, world.task(1).thread);
  EXPECT_FALSE(knows(2));
}

TEST_F(OrderingTest, OneTimeInitializationOrdersLaterCallsAndLooksAtTheGuard) {
  const ObjectId once = add(ObjectKind::Once);
  world.object(once).address = 0x5000;
  note(1);
  take(1, OnceBegin, once);
  take(1, OnceEnd, once);
  clocks.acquire(0, key_of_address(0x5000));
  EXPECT_TRUE(knows(0));
  take(2, OnceBegin, once);
  EXPECT_TRUE(knows(2));
}

TEST_F(OrderingTest, AWakeOrdersTheWokenOne) {
  const ObjectId futex = add(ObjectKind::Futex);
  std::uint32_t word = 1;
  Operation wait = operation(FutexWait, futex);
  wait.word = &word;
  wait.expected = 1;
  wait.argument = 0xffffffffu;
  take(2, wait);
  note(1);
  Operation wake = operation(FutexWake, futex);
  wake.argument = 1 | std::uint64_t{0xffffffffu} << 32;
  take(1, wake);
  EXPECT_FALSE(knows(2));
  go_on(2);
  EXPECT_TRUE(knows(2));
}

TEST_F(OrderingTest, SignalsAreOrderedApartFromTheThreadsEnd) {
  note(1);
  const ObjectId thread = world.task(2).thread;
  take(1, ThreadCancel, thread);
  take(2, ThreadExit, thread);
  take(0, ThreadJoin, thread);
  EXPECT_FALSE(knows(0));
}

TEST_F(OrderingTest, SignalsThatADescriptorGivesAreOrderedBehindTheirSender) {
  note(1);
  take(1, SignalSend, world.task(2).thread);
  EXPECT_FALSE(knows(2));
  order_signals_taken(clocks, world, 2);
  EXPECT_TRUE(knows(2));
  EXPECT_FALSE(knows(0));
}

TEST_F(OrderingTest, WhatIsHeardOfAProcessComesBehindItsStart) {
  note(1);
  take(1, ProcessFork, kNoObject);
  EXPECT_FALSE(knows(2));
  take(2, ProcessWait, kNoObject);
  EXPECT_TRUE(knows(2));
}

TEST_F(OrderingTest, WaitingForAProcessTellsNobody) {
  note(1);
  take(1, ProcessWait, kNoObject);
  take(2, ProcessWait, kNoObject);
  EXPECT_FALSE(knows(2));
}

}  // namespace
}  // namespace heddle::model
