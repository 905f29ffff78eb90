// Equal states have equal hashes, and whatever matters changes the hash.
#include "model/state_hash.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <functional>

namespace heddle::model::test {
namespace {

void* allocate(std::size_t bytes) { return std::calloc(1, bytes); }  // kept to the end of the process, as by a runtime

// Two threads (and the first) that lock and try a mutex, and post a semaphore.
class StateHashTest : public testing::Test {
 protected:
  StateHashTest() : world_(*World::create(allocate, Limits())) {
    mutex_ = world_.population().add_object(ObjectKind::Mutex, 0, 0x1000, 1);
    semaphore_ = world_.population().add_object(ObjectKind::Semaphore, 0, 0x2000, 1);
    for (Site site = 1; site <= 2; ++site) world_.add_task(0, 0x3000 * site, site);
    world_.schedule().begin_branching();
    publish(0, OperationKind::SemaphoreWait, semaphore_);
    publish(1, OperationKind::MutexLock, mutex_);
    publish(2, OperationKind::MutexTryLock, mutex_);
    world_.decide();
  }

  void publish(TaskId task, OperationKind kind, ObjectId object, Site site = 10) {
    Operation operation;
    operation.kind = kind;
    operation.object = object;
    operation.site = site;
    world_.publish(task, operation);
  }
  Effect step(TaskId task) {
    world_.decide();
    return world_.step({task, 0});
  }
  StateHash hash() { return hash_state(world_); }

  World& world_;
  ObjectId mutex_, semaphore_;
};

TEST_F(StateHashTest, ARoundTripComesBackToIt) {
  step(1);  // takes the mutex
  publish(1, OperationKind::MutexUnlock, mutex_);
  const StateHash held = hash();
  EXPECT_EQ(step(2).result, EBUSY);
  publish(2, OperationKind::MutexTryLock, mutex_);
  const StateHash tried = hash();
  EXPECT_FALSE(held == tried) << "another one ran last";
  EXPECT_EQ(step(2).result, EBUSY);
  publish(2, OperationKind::MutexTryLock, mutex_);
  EXPECT_TRUE(tried == hash());
}

TEST_F(StateHashTest, WhatIsPendingMatters) {
  const StateHash before = hash();
  publish(1, OperationKind::MutexLock, mutex_, 11);
  EXPECT_FALSE(before == hash());
  publish(1, OperationKind::MutexLock, mutex_, 10);
  EXPECT_TRUE(before == hash());
  publish(1, OperationKind::MutexTryLock, mutex_, 10);
  EXPECT_FALSE(before == hash());
}

TEST_F(StateHashTest, CountsAndOwnersMatter) {
  const StateHash before = hash();
  world_.object(semaphore_).semaphore.value = 1;
  EXPECT_FALSE(before == hash());
  world_.object(semaphore_).semaphore.value = 0;
  world_.object(mutex_).mutex.owner = 2;
  EXPECT_FALSE(before == hash());
  world_.object(mutex_).mutex.owner = kNoTask;
  EXPECT_TRUE(before == hash());
}

TEST_F(StateHashTest, OnlyHowFarADeadlineIsCounts) {
  Operation sleep;
  sleep.kind = OperationKind::Sleep;
  sleep.site = 5;
  sleep.deadline = world_.clock().now() + 1000;
  world_.publish(1, sleep);
  const StateHash before = hash();
  world_.advance_clock(world_.clock().now() + 400);
  EXPECT_FALSE(before == hash());
  sleep.deadline = world_.clock().now() + 1000;
  world_.publish(1, sleep);
  EXPECT_TRUE(before == hash());
}

TEST_F(StateHashTest, ARoundIsFairIfWhoCouldGoOnDid) {
  step(1);
  publish(1, OperationKind::MutexUnlock, mutex_);
  const std::uint32_t since = world_.schedule().steps().count();
  step(2);
  publish(2, OperationKind::MutexTryLock, mutex_);
  EXPECT_FALSE(is_fair_since(world_, since)) << "task 1 could have unlocked";
  step(1);
  publish(1, OperationKind::MutexLock, mutex_);
  EXPECT_TRUE(is_fair_since(world_, since)) << "task 0 could not go on";
  EXPECT_FALSE(is_fair_since(world_, world_.schedule().steps().count()));
}

TEST_F(StateHashTest, WhoWaitsForATimeWillGoOn) {
  Operation sleep;
  sleep.kind = OperationKind::Sleep;
  sleep.site = 5;
  sleep.deadline = world_.clock().now() + 1000;
  world_.publish(1, sleep);
  const std::uint32_t since = world_.schedule().steps().count();
  step(2);
  publish(2, OperationKind::MutexUnlock, mutex_);
  step(2);
  publish(2, OperationKind::MutexTryLock, mutex_);
  EXPECT_FALSE(is_fair_since(world_, since));
}

TEST_F(StateHashTest, WhoCouldGoOnOnlyForAMomentCountsToo) {
  step(1);
  publish(1, OperationKind::SemaphorePost, semaphore_);
  const std::uint32_t since = world_.schedule().steps().count();
  step(1);  // task 0 can go on now
  world_.decide();
  world_.object(semaphore_).semaphore.value = 0;  // as if taken by somebody else
  world_.reevaluate_object(semaphore_);
  publish(1, OperationKind::MutexUnlock, mutex_);
  step(2);
  publish(2, OperationKind::MutexTryLock, mutex_);
  step(1);
  publish(1, OperationKind::MutexLock, mutex_);
  EXPECT_FALSE(is_fair_since(world_, since));
}

}  // namespace
}  // namespace heddle::model::test
