// Operations without an object: yield, sleep, the end of the process.
#include "model/choices.h"
#include "model/fixture.h"
#include "model/outside.h"

namespace heddle::model {
namespace {

using enum OperationKind;

using PlainTest = ModelTest;

TEST_F(PlainTest, YieldAndProcessExitAreAlwaysEnabled) {
  expect_refused(run(0, Yield), 0);
  EXPECT_TRUE(run(0, ProcessExit).wrote);
}

TEST_F(PlainTest, ASleepEndsWhenItsTimeIsOverAndOnlyThen) {
  publish(0, until(10, operation(Sleep)));
  EXPECT_FALSE(enabled(0));
  world.advance_clock(9);
  EXPECT_FALSE(enabled(0));
  world.advance_clock(10);
  EXPECT_TRUE(enabled(0));
  EXPECT_EQ(step(0).result, 0);
}

TEST_F(PlainTest, AChoiceHasAsManyAlternativesAsAreAskedFor) {
  Operation choose = operation(Choose);
  choose.argument = 3;
  publish(0, choose);
  EXPECT_EQ(variants(world, 0), 3);
  expect_refused(step(0, 2), 2);
}

TEST_F(PlainTest, AForkIsAlwaysPossible) {
  EXPECT_TRUE(run(0, ProcessFork).wrote);
  EXPECT_TRUE(run(0, ProcessStart).wrote);
}

TEST_F(PlainTest, AWaitForAChildGoesOnWhenItIsSaidToBeReady) {
  Operation wait = operation(ProcessWait);
  wait.argument = kNotReady;
  publish(0, wait);
  EXPECT_FALSE(enabled(0));
  EXPECT_EQ(world.decide().status, Decision::Status::Deadlock);
  EXPECT_EQ(world.clock().earliest_deadline(world.population()), kNoDeadline);
  set_ready(world, 0, true);
  EXPECT_TRUE(enabled(0));
  set_ready(world, 0, false);
  EXPECT_FALSE(enabled(0));
  set_ready(world, 0, true);
  EXPECT_EQ(step(0).result, 0);
}

TEST_F(PlainTest, WhenAllSleepTheClockMovesToTheDeadline) {
  const Effect effect = run(0, until(10, operation(Sleep)), kTimeout);
  EXPECT_EQ(effect.result, 0);
  EXPECT_TRUE(effect.timed_out && effect.completes);
  EXPECT_EQ(world.clock().now(), 10);
}

TEST_F(PlainTest, WhoIsAboutToUseWhatIsInitializedFindsTheNewOne) {
  const ObjectId there = add(ObjectKind::Semaphore), made = add(ObjectKind::Semaphore);
  const TaskId tries = add_task(), waits = add_task();
  publish(tries, operation(SemaphoreTryWait, there));
  publish(waits, operation(SemaphoreWait, there));
  Operation initialize = operation(Initialize, there);
  initialize.object2 = made;
  publish(0, initialize);
  EXPECT_EQ(step(0).result, 1) << "somebody waits for what was there";
  world.object(made).semaphore.value = 1;
  world.reevaluate_object(made);
  EXPECT_EQ(step(tries).result, 0);
  EXPECT_FALSE(enabled(waits)) << "nobody wakes it";
}

TEST_F(PlainTest, WhatIsFreedIsNotToBeUsed) {
  const ObjectId mutex = add(ObjectKind::Mutex);
  const TaskId waits = add_task();
  run(0, operation(MutexLock, mutex));
  publish(waits, operation(MutexLock, mutex));
  EXPECT_FALSE(enabled(waits));
  run(0, operation(ObjectFree, mutex));
  EXPECT_TRUE(enabled(waits)) << "it is to be seen that it uses what is gone";
  EXPECT_STREQ(step(waits).misuse, "used a mutex after its memory was freed");
}

}  // namespace
}  // namespace heddle::model
