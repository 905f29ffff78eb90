// Unnamed semaphores.
#include "model/fixture.h"

namespace heddle::model {
namespace {

using enum OperationKind;

class SemaphoreTest : public ModelTest {
 protected:
  std::uint32_t& value() { return world.object(semaphore).semaphore.value; }
  const ObjectId semaphore = add(ObjectKind::Semaphore);
};

TEST_F(SemaphoreTest, WaitTakesOneAndWaitsAtZero) {
  value() = 1;
  EXPECT_EQ(run(0, SemaphoreWait, semaphore).result, 0);
  EXPECT_EQ(value(), 0u);
  const TaskId second = add_task();
  publish(second, operation(SemaphoreWait, semaphore));
  EXPECT_FALSE(enabled(second));
  EXPECT_TRUE(run(0, SemaphorePost, semaphore).released);
  EXPECT_TRUE(enabled(second));
}

TEST_F(SemaphoreTest, OnePostLetsOneWaiterGo) {
  const TaskId second = add_task(), third = add_task();
  publish(second, operation(SemaphoreWait, semaphore));
  publish(third, operation(SemaphoreWait, semaphore));
  run(0, SemaphorePost, semaphore);
  step(third);
  EXPECT_FALSE(enabled(second));
}

TEST_F(SemaphoreTest, TryWaitAtZeroGivesEagain) {
  expect_refused(run(0, SemaphoreTryWait, semaphore), EAGAIN);
  value() = 1;
  EXPECT_EQ(run(0, SemaphoreTryWait, semaphore).result, 0);
}

TEST_F(SemaphoreTest, TimedWaitEndsByItsDeadline) {
  expect_timed_out(run(0, until(10, operation(SemaphoreWait, semaphore)), kTimeout));
}

TEST_F(SemaphoreTest, PostAtTheMaximumGivesEoverflow) {
  value() = INT32_MAX;
  expect_refused(run(0, SemaphorePost, semaphore), EOVERFLOW);
}

TEST_F(SemaphoreTest, GetValueOnlyLooks) {
  value() = 7;
  expect_refused(run(0, SemaphoreGetValue, semaphore), 7);
}

TEST_F(SemaphoreTest, DestroyWithWaitersAndUseAfterDestroyAreMisuse) {
  const TaskId second = add_task();
  publish(second, operation(SemaphoreWait, semaphore));
  expect_misuse(run(0, SemaphoreDestroy, semaphore), "destroyed a semaphore that threads wait on");
  run(add_task(), SemaphorePost, semaphore);
  EXPECT_EQ(step(0).misuse, nullptr);
  expect_misuse(step(second), "used a semaphore after it was destroyed");
}

}  // namespace
}  // namespace heddle::model
