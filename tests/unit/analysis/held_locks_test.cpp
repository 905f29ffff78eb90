// The locks that threads hold, step by step.
#include "analysis/held_locks.h"

#include <gtest/gtest.h>

#include <cerrno>

namespace heddle {
namespace {

constexpr ObjectId kMutex = 1, kShared = 2, kCondition = 3;

StepRecord step(TaskId task, OperationKind operation, ObjectId object, std::int32_t result = 0) {
  StepRecord record{};
  record.task = task;
  record.operation = operation;
  record.object = object;
  record.result = result;
  return record;
}

using Locks = std::vector<ObjectId>;

TEST(HeldLocks, EachThreadHasItsOwn) {
  HeldLocks held;
  held.add(step(0, OperationKind::MutexLock, kMutex));
  held.add(step(1, OperationKind::ReadLock, kShared));
  held.add(step(1, OperationKind::MutexTryLock, kMutex, EBUSY));
  EXPECT_EQ(held.of(0), Locks{kMutex});
  EXPECT_EQ(held.of(1), Locks{kShared});
  EXPECT_EQ(held.of(2), Locks{});
  held.add(step(0, OperationKind::MutexUnlock, kMutex));
  EXPECT_EQ(held.of(0), Locks{});
}

TEST(HeldLocks, AWaitGivesItsMutexBackAndAWriterThatQueuesHasItsLockOnce) {
  HeldLocks held;
  held.add(step(0, OperationKind::WriteLock, kShared));
  held.add(step(0, OperationKind::WriteLock, kShared));
  held.add(step(0, OperationKind::MutexLock, kMutex));
  EXPECT_EQ(held.of(0), (Locks{kShared, kMutex}));
  StepRecord wait = step(0, OperationKind::ConditionWait, kCondition);
  wait.object2 = kMutex;
  held.add(wait);
  EXPECT_EQ(held.of(0), Locks{kShared});
  held.add(step(0, OperationKind::MutexReacquire, kMutex));
  EXPECT_EQ(held.of(0), (Locks{kShared, kMutex}));
}

}  // namespace
}  // namespace heddle
