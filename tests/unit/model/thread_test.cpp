// Threads: start, end, join, detach.
#include "model/fixture.h"
#include "model/holder.h"

namespace heddle::model {
namespace {

using enum OperationKind;

class ThreadTest : public ModelTest {
 protected:
  ObjectId thread(TaskId task) const { return world.task(task).thread; }
  void end(TaskId task) { run(task, ThreadExit, thread(task)); }
  const TaskId second = add_task(), third = add_task();
};

TEST_F(ThreadTest, CreationReleasesAndIsAlwaysEnabled) {
  EXPECT_TRUE(run(0, ThreadCreate, thread(second)).released);
  expect_refused(run(0, ThreadCreated, thread(second)), 0);
  expect_refused(run(second, ThreadStart, thread(second)), 0);
}

TEST_F(ThreadTest, JoinWaitsForTheEnd) {
  publish(0, operation(ThreadJoin, thread(second)));
  EXPECT_FALSE(enabled(0));
  EXPECT_EQ(holder(world, thread(second), nullptr), second);
  const Effect exit = run(second, ThreadExit, thread(second));
  EXPECT_TRUE(exit.released);
  EXPECT_EQ(world.task(second).state, TaskState::Ended);
  EXPECT_EQ(holder(world, thread(second), nullptr), kNoTask);
  EXPECT_EQ(step(0).result, 0);
  EXPECT_EQ(world.object(thread(second)).thread.joiner, 0);
}

TEST_F(ThreadTest, JoinWithOneselfGivesEdeadlk) { expect_refused(run(0, ThreadJoin, thread(0)), EDEADLK); }

TEST_F(ThreadTest, ThreadsThatJoinEachOtherWaitForEver) {
  end(0);
  publish(second, operation(ThreadJoin, thread(third)));
  publish(third, operation(ThreadJoin, thread(second)));
  EXPECT_EQ(world.decide().status, Decision::Status::Deadlock);
}

TEST_F(ThreadTest, TimedJoinEndsByItsDeadlineAndTheThreadStaysJoinable) {
  expect_timed_out(run(0, until(10, operation(ThreadJoin, thread(second))), kTimeout));
  end(second);
  EXPECT_EQ(run(0, ThreadJoin, thread(second)).result, 0);
}

TEST_F(ThreadTest, TryJoinIsBusyUntilTheEnd) {
  expect_refused(run(0, ThreadTryJoin, thread(second)), EBUSY);
  end(second);
  EXPECT_EQ(run(0, ThreadTryJoin, thread(second)).result, 0);
}

TEST_F(ThreadTest, JoiningTwiceIsMisuse) {
  end(second);
  run(0, ThreadJoin, thread(second));
  expect_misuse(run(0, ThreadJoin, thread(second)), "joined a thread that was already joined");
  expect_misuse(run(third, ThreadTryJoin, thread(second)), "joined a thread that was already joined");
  expect_misuse(run(third, ThreadDetach, thread(second)), "detached a thread that was already joined");
}

TEST_F(ThreadTest, OfTwoWhoWaitToJoinTheSecondIsMisuse) {
  publish(0, operation(ThreadJoin, thread(second)));
  publish(third, operation(ThreadJoin, thread(second)));
  end(second);
  EXPECT_EQ(step(third).misuse, nullptr);
  expect_misuse(step(0), "joined a thread that was already joined");
}

TEST_F(ThreadTest, JoiningADetachedThreadAndDetachingTwiceAreMisuse) {
  EXPECT_EQ(run(0, ThreadDetach, thread(second)).misuse, nullptr);
  expect_misuse(run(0, ThreadJoin, thread(second)), "joined a detached thread");
  expect_misuse(run(0, ThreadTryJoin, thread(second)), "joined a detached thread");
  expect_misuse(run(0, ThreadDetach, thread(second)), "detached a thread that is already detached");
}

TEST_F(ThreadTest, AThreadThatEndedMayBeDetached) {
  end(second);
  EXPECT_EQ(run(0, ThreadDetach, thread(second)).misuse, nullptr);
}

}  // namespace
}  // namespace heddle::model
