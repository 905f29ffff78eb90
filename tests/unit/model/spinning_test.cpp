// Accesses to memory as operations, and tasks that read in a loop.
#include "model/spinning.h"

#include "model/choices.h"
#include "model/fixture.h"
#include "protocol/time_slice.h"

namespace heddle::model {
namespace {

using enum OperationKind;

constexpr std::uint64_t kState = 7;

// An access that sets `wrote` and `changed` to what the test says.
struct Access : MemoryAccess {
  explicit Access(bool changes, bool writes) {
    perform = [](MemoryAccess& access) {
      auto& self = static_cast<Access&>(access);
      self.wrote = self.writes;
      self.changed = self.changes;
      ++self.performed;
    };
    this->changes = changes;
    this->writes = writes;
  }
  bool changes, writes;
  int performed = 0;
};

class SpinningTest : public ModelTest {
 protected:
  SpinningTest() { world.schedule().begin_branching(); }
  Operation read(ObjectId object, std::uint64_t state = kState, Site site = 1) {
    Operation result = operation(AtomicLoad, object);
    result.site = site;
    result.access = &reading;
    result.argument = state;
    return result;
  }
  Operation write(ObjectId object) {
    Operation result = operation(AtomicStore, object);
    result.access = &writing;
    return result;
  }
  Operation write_the_same(ObjectId object) {
    Operation result = operation(AtomicUpdate, object);
    result.access = &writing_the_same;
    result.argument = kState;
    result.site = 5;
    return result;
  }
  Access reading{false, false}, writing{true, true}, writing_the_same{false, false};
  const ObjectId first = add(ObjectKind::Memory), other = add(ObjectKind::Memory);
  const TaskId second = add_task();
};

TEST_F(SpinningTest, TheAccessIsMadeWhenTheStepIsTaken) {
  publish(0, write(first));
  EXPECT_EQ(writing.performed, 0);
  const Effect effect = step(0);
  EXPECT_EQ(writing.performed, 1);
  EXPECT_TRUE(effect.wrote && effect.released && effect.completes);
  EXPECT_FALSE(run(0, read(first)).wrote);
}

TEST_F(SpinningTest, AReadThatCanShowNothingNewWaits) {
  run(0, read(first));
  run(0, read(first));
  publish(0, read(first));
  EXPECT_FALSE(enabled(0));
  run(second, write(first));
  EXPECT_TRUE(enabled(0));
  step(0);
}

TEST_F(SpinningTest, ItIsNoLoopIfTheTaskIsInAnotherState) {
  for (std::uint64_t i = 1; i < 10; ++i) run(0, read(first, i));
  EXPECT_TRUE(enabled(0));
}

TEST_F(SpinningTest, ItIsNoLoopIfTheTaskHasDoneSomethingElse) {
  const ObjectId mutex = add(ObjectKind::Mutex);
  for (int i = 0; i < 5; ++i) {
    run(0, read(first));
    run(0, read(first));
    run(0, MutexLock, mutex);
    run(0, MutexUnlock, mutex);
  }
}

TEST_F(SpinningTest, AYieldDoesNotEndALoop) {
  const ObjectId mutex = add(ObjectKind::Mutex);
  run(0, MutexLock, mutex);
  publish(second, operation(MutexLock, mutex));  // nobody is there to whom it would have to yield
  run(0, read(first));
  run(0, Yield);
  run(0, read(first));
  run(0, Yield);
  publish(0, read(first));
  EXPECT_FALSE(enabled(0));
}

TEST_F(SpinningTest, AnyOfWhatIsReadInTheLoopEndsTheWait) {
  for (int i = 0; i < 2; ++i) {
    run(0, read(first, kState, 1));
    run(0, read(other, kState, 2));
  }
  publish(0, read(first, kState, 1));
  EXPECT_FALSE(enabled(0));
  run(second, write(other));
  EXPECT_TRUE(enabled(0));
}

TEST_F(SpinningTest, AnExchangeThatFindsWhatItWritesIsARead) {
  run(0, write_the_same(first));
  run(0, write_the_same(first));
  publish(0, write_the_same(first));
  EXPECT_FALSE(enabled(0));
  run(second, write(first));
  EXPECT_TRUE(enabled(0));
}

TEST_F(SpinningTest, TwoThatExchangeTheSameDoNotWakeEachOther) {
  for (const TaskId task : {TaskId{0}, second}) {
    run(task, write_the_same(first));
    run(task, write_the_same(first));
    publish(task, write_the_same(first));
  }
  EXPECT_FALSE(enabled(0));
  EXPECT_FALSE(enabled(second));
}

TEST_F(SpinningTest, ALoopThatMovesCountsAsAYieldInTheEnd) {
  for (std::uint64_t i = 1; i <= ReadHistory::kPatience + 1; ++i) run(0, read(first, i));
  publish(0, read(first, 1000));
  EXPECT_TRUE(enabled(0));
  EXPECT_TRUE(world.decide().yielded);
}

TEST_F(SpinningTest, ReadsAreInVainBehindALoopsPatience) {
  for (std::uint64_t i = 1; i <= ReadHistory::kPatience + 1; ++i) {
    EXPECT_EQ(reads_in_vain(world, 0), 0u);
    run(0, read(first, i));
  }
  run(0, read(first, 1000));
  EXPECT_EQ(reads_in_vain(world, 0), 1u);
  run(second, write(first));
  run(0, read(first, 1001));
  EXPECT_EQ(reads_in_vain(world, 0), 0u);
}

// libstdc++'s waits look sixteen times, yield at the last four, then sleep: all that while another task stands still.
TEST_F(SpinningTest, TheFirstYieldsInALoopOfReadsHoldNobodyBack) {
  publish(second, write(first));
  for (std::uint64_t i = 1; i <= 16; ++i) {
    run(0, read(first, i));
    run(0, Yield);
  }
  publish(0, read(first, 17));
  world.decide();
  EXPECT_TRUE(allowed(world, {0, 0}));
}

// The same, unrolled by a compiler: each read is at a place of its own, and there are more than a history holds.
TEST_F(SpinningTest, TheFirstYieldsInAnUnrolledLoopHoldNobodyBack) {
  publish(second, write(first));
  for (std::uint64_t i = 1; i <= 16; ++i) {
    run(0, read(first, kState, i));
    if (i > 12) run(0, Yield);
  }
  publish(0, read(first, kState, 17));
  world.decide();
  EXPECT_TRUE(allowed(world, {0, 0}));
}

TEST_F(SpinningTest, ManyYieldsInALoopOfReadsGiveWay) {
  publish(second, write(first));
  for (std::uint64_t i = 1; i <= ReadHistory::kPatience + 1; ++i) run(0, read(first, i));
  run(0, Yield);
  publish(0, read(first, 100));
  world.decide();
  EXPECT_FALSE(allowed(world, {0, 0}));
}

// A worker that looks into its queue under a lock, then at a flag, then yields: each round begins a new history.
TEST_F(SpinningTest, ManyYieldsInALoopThatAlsoLocksGiveWay) {
  const ObjectId mutex = add(ObjectKind::Mutex);
  const auto look = [&] {
    run(0, MutexLock, mutex);
    run(0, MutexUnlock, mutex);
    run(0, read(first));
  };
  publish(second, write(first));
  for (std::uint32_t i = 0; i <= ReadHistory::kPatience; ++i) {
    look();
    run(0, Yield);
  }
  look();
  publish(0, operation(Yield));
  world.decide();
  EXPECT_FALSE(allowed(world, {0, 0}));
  step(second);
  step(0);  // and is patient anew
  publish(second, write(first));
  for (std::uint32_t i = 0; i < ReadHistory::kPatience / 2; ++i) {
    look();
    run(0, Yield);
  }
}

TEST_F(SpinningTest, YieldsBehindLongRoundsGiveWay) {
  const ObjectId mutex = add(ObjectKind::Mutex);
  const auto look = [&] {
    for (std::uint32_t i = 0; i < ReadHistory::kLongRound; ++i) {
      run(0, MutexLock, mutex);
      run(0, MutexUnlock, mutex);
    }
    run(0, read(first));
  };
  publish(second, write(first));
  look();
  run(0, Yield);
  look();
  publish(0, operation(Yield));
  world.decide();
  EXPECT_FALSE(allowed(world, {0, 0}));
}

TEST_F(SpinningTest, YieldsWithoutReadsGiveWayAtOnce) {
  publish(second, write(first));
  run(0, Yield);
  publish(0, operation(Yield));
  world.decide();
  EXPECT_FALSE(allowed(world, {0, 0}));
}

TEST_F(SpinningTest, PatientYieldsHoldNobodyBack) {
  publish(second, write(first));
  Operation patient = operation(Yield);
  patient.argument = kPatientYield;
  for (int i = 0; i < 3; ++i) run(0, patient);
  publish(0, patient);
  EXPECT_FALSE(world.decide().switch_costs);
  EXPECT_TRUE(allowed(world, {0, 0}));
  EXPECT_TRUE(allowed(world, {second, 0}));
}

// Who has run for very long without a step yields, whatever it has read before.
TEST_F(SpinningTest, TheEndOfASliceGivesWayAtOnce) {
  publish(second, write(first));
  run(0, read(first));
  Operation end_of_slice = operation(Yield);
  end_of_slice.argument = kEndOfSlice;
  EXPECT_EQ(run(0, end_of_slice).result, kEndOfSlice);
  publish(0, end_of_slice);
  world.decide();
  EXPECT_FALSE(allowed(world, {0, 0}));
  EXPECT_TRUE(allowed(world, {second, 0}));
}

// One read, then a loop that yields until something changes that is not seen (in a library that is not instrumented).
TEST_F(SpinningTest, ManyYieldsBehindOneReadGiveWay) {
  publish(second, write(first));
  run(0, read(first));
  for (std::uint32_t i = 0; i <= ReadHistory::kPatience; ++i) run(0, Yield);
  publish(0, operation(Yield));
  world.decide();
  EXPECT_FALSE(allowed(world, {0, 0}));
}

TEST_F(SpinningTest, WhoWaitsGoesOnSomeMoreWhenNobodyElseCan) {
  const ObjectId mutex = add(ObjectKind::Mutex);
  run(0, MutexLock, mutex);
  publish(second, operation(MutexLock, mutex));
  std::uint32_t taken = 0;
  for (;; ++taken) {
    ASSERT_LT(taken, 1000u);
    publish(0, read(first));
    if (world.decide().status == Decision::Status::Deadlock) break;
    step(0);
  }
  EXPECT_EQ(taken, 2 + ReadHistory::kFreeReads);
}

TEST_F(SpinningTest, TheStateIsOnlyAskedForWhenItMatters) {
  EXPECT_FALSE(would_repeat(world, 0, 1, first));
  run(0, read(first, 0));
  EXPECT_TRUE(would_repeat(world, 0, 1, first));
  EXPECT_FALSE(would_repeat(world, 0, 2, first));
  run(second, write(first));
  EXPECT_FALSE(would_repeat(world, 0, 1, first));
}

// What follows the first piece of a range is in no record: any change may be one of it, and it of anything.
TEST_F(SpinningTest, WhoReadsARangeWaitsForAnyChange) {
  Operation range = read(first);
  range.kind = MemoryRangeRead;
  run(0, range);
  run(0, range);
  publish(0, range);
  EXPECT_FALSE(enabled(0));
  run(second, write(other));
  EXPECT_TRUE(enabled(0));
}

TEST_F(SpinningTest, WhoReadsTwoPiecesWaitsForAChangeOfTheSecond) {
  Operation both = read(first);
  both.object2 = other;
  run(0, both);
  EXPECT_TRUE(would_repeat(world, 0, both));
  run(second, write(other));
  EXPECT_FALSE(would_repeat(world, 0, both));
}

TEST_F(SpinningTest, ARangeThatIsWrittenOrFreedMayBeWhatAnybodyHasRead) {
  for (const OperationKind kind : {MemoryRangeWrite, MemoryFree}) {
    run(0, read(other, 0));
    EXPECT_TRUE(would_repeat(world, 0, 1, other));
    Operation range = write(first);
    range.kind = kind;
    run(second, range);
    EXPECT_FALSE(would_repeat(world, 0, 1, other));
  }
}

TEST_F(SpinningTest, OthersAreOverWhenTheyHaveEndedAndWereJoined) {
  EXPECT_FALSE(world.population().others_are_over());
  run(second, ThreadExit, world.task(second).thread);
  EXPECT_FALSE(world.population().others_are_over());
  run(0, ThreadJoin, world.task(second).thread);
  EXPECT_TRUE(world.population().others_are_over());
}

}  // namespace
}  // namespace heddle::model
