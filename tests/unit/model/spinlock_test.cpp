// Spin locks.
#include "model/fixture.h"
#include "model/holder.h"

namespace heddle::model {
namespace {

using enum OperationKind;

class SpinLockTest : public ModelTest {
 protected:
  const ObjectId lock = add(ObjectKind::SpinLock);
  const TaskId second = add_task();
};

TEST_F(SpinLockTest, OneHoldsItAndTheOthersWait) {
  EXPECT_EQ(run(0, OperationKind::SpinLock, lock).result, 0);
  publish(second, operation(OperationKind::SpinLock, lock));
  EXPECT_FALSE(enabled(second));
  EXPECT_EQ(holder(world, lock, nullptr), 0);
  EXPECT_TRUE(run(0, SpinUnlock, lock).released);
  EXPECT_EQ(step(second).result, 0);
}

TEST_F(SpinLockTest, LockingOnesOwnIsADeadlock) {
  run(0, OperationKind::SpinLock, lock);
  publish(0, operation(OperationKind::SpinLock, lock));
  EXPECT_FALSE(enabled(0));
}

TEST_F(SpinLockTest, TryLockOfAHeldOneIsBusy) {
  EXPECT_EQ(run(0, SpinTryLock, lock).result, 0);
  expect_refused(run(0, SpinTryLock, lock), EBUSY);
  expect_refused(run(second, SpinTryLock, lock), EBUSY);
}

TEST_F(SpinLockTest, UnlockByOneWhoDoesNotHoldItIsMisuse) {
  expect_misuse(run(second, SpinUnlock, lock), "unlocked a spin lock that nobody holds");
  run(0, OperationKind::SpinLock, lock);
  expect_misuse(step(second), "unlocked a spin lock that another thread holds");
}

TEST_F(SpinLockTest, DestroyWhileHeldAndUseAfterDestroyAreMisuse) {
  run(0, OperationKind::SpinLock, lock);
  expect_misuse(run(second, SpinDestroy, lock), "destroyed a spin lock that is still locked");
  run(0, SpinUnlock, lock);
  EXPECT_EQ(step(second).misuse, nullptr);
  for (const OperationKind kind : {OperationKind::SpinLock, SpinTryLock, SpinUnlock, SpinDestroy})
    expect_misuse(run(0, kind, lock), "used a spin lock after it was destroyed");
}

}  // namespace
}  // namespace heddle::model
