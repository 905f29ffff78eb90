// Who is stuck beside tasks that go round, and who only waits for these.
#include "model/services.h"

#include <gtest/gtest.h>

#include <cstdlib>

namespace heddle::model::test {
namespace {

void* allocate(std::size_t bytes) { return std::calloc(1, bytes); }  // kept to the end of the process, as by a runtime

constexpr Site kTick = 77;

// Main and two threads; thread 1 sleeps again and again at kTick.
class ServicesTest : public testing::Test {
 protected:
  ServicesTest() : world_(*World::create(allocate, Limits())) {
    mutex_ = world_.population().add_object(ObjectKind::Mutex, 0, 0x1000, 1);
    semaphore_ = world_.population().add_object(ObjectKind::Semaphore, 0, 0x2000, 1);
    for (Site site = 1; site <= 2; ++site) world_.add_task(0, 0x3000 * site, site);
    world_.schedule().begin_branching();
  }

  void publish(TaskId task, OperationKind kind, ObjectId object, Nanoseconds deadline = kNoDeadline) {
    Operation operation;
    operation.kind = kind;
    operation.object = object;
    operation.site = deadline == kNoDeadline ? 10 : kTick;
    operation.deadline = deadline;
    world_.publish(task, operation);
  }
  void sleep(TaskId task) { publish(task, OperationKind::Sleep, kNoObject, world_.clock().now() + 1000); }
  void tick(TaskId task) {
    world_.decide();
    world_.step({task, kTimeout});
    sleep(task);
  }
  void declare() {
    static constexpr SpinPlace kPlaces[] = {{kTick, kServicePeriod}};
    world_.population().spin_places().watch(kPlaces, 1);
  }
  void see() {
    static constexpr SpinPlace kPlaces[] = {{kTick, kSeenServicePeriod}};
    world_.population().spin_places().watch(kPlaces, 1);
  }

  World& world_;
  ObjectId mutex_, semaphore_;
};

TEST_F(ServicesTest, WhoWaitsForNobodyIsStuck) {
  publish(0, OperationKind::SemaphoreWait, semaphore_);
  publish(2, OperationKind::SemaphoreWait, semaphore_);
  sleep(1);
  tick(1);
  EXPECT_TRUE(goes_round(world_, 1, 0));
  EXPECT_FALSE(goes_round(world_, 0, 0));
  EXPECT_TRUE(somebody_is_stuck(world_, 0));
}

TEST_F(ServicesTest, WhoWaitsForTheOneThatGoesRoundIsNot) {
  publish(1, OperationKind::MutexLock, mutex_);
  world_.decide();
  world_.step({1, 0});
  publish(0, OperationKind::ThreadJoin, world_.task(1).thread);
  publish(2, OperationKind::MutexLock, mutex_);
  sleep(1);
  tick(1);
  EXPECT_FALSE(somebody_is_stuck(world_, 1));
}

TEST_F(ServicesTest, WaitingOverAnotherCounts) {
  publish(1, OperationKind::MutexLock, mutex_);
  world_.decide();
  world_.step({1, 0});
  publish(2, OperationKind::MutexLock, mutex_);                  // waits for 1
  publish(0, OperationKind::ThreadJoin, world_.task(2).thread);  // and so does this one
  sleep(1);
  tick(1);
  EXPECT_FALSE(somebody_is_stuck(world_, 1));
}

TEST_F(ServicesTest, DeclaredOnesMayGoRoundForLong) {
  declare();
  publish(0, OperationKind::SemaphoreWait, semaphore_);
  publish(2, OperationKind::SemaphoreWait, semaphore_);
  sleep(1);
  for (int i = 0; i < 4000; ++i) tick(1);
  EXPECT_EQ(only_services_since(world_), 0u);
  for (int i = 0; i < 100; ++i) tick(1);
  EXPECT_NE(only_services_since(world_), 0u);
}

TEST_F(ServicesTest, SeenOnesMayGoRoundForLonger) {
  see();
  publish(0, OperationKind::SemaphoreWait, semaphore_);
  publish(2, OperationKind::SemaphoreWait, semaphore_);
  sleep(1);
  for (int i = 0; i < 65'500; ++i) tick(1);
  EXPECT_EQ(only_services_since(world_), 0u);
  for (int i = 0; i < 100; ++i) tick(1);
  EXPECT_NE(only_services_since(world_), 0u);
}

TEST_F(ServicesTest, OthersThatWaitForATimeGoOn) {
  declare();
  publish(0, OperationKind::SemaphoreWait, semaphore_);
  sleep(1);
  Operation other;
  other.kind = OperationKind::Sleep;
  other.site = kTick + 1;
  other.deadline = 1'000'000'000;
  world_.publish(2, other);
  for (int i = 0; i < 5000; ++i) tick(1);
  EXPECT_EQ(only_services_since(world_), 0u);
}

TEST_F(ServicesTest, NothingIsDeclaredByItself) {
  publish(0, OperationKind::SemaphoreWait, semaphore_);
  publish(2, OperationKind::SemaphoreWait, semaphore_);
  sleep(1);
  for (int i = 0; i < 5000; ++i) tick(1);
  EXPECT_EQ(only_services_since(world_), 0u);
}

// Its time is over: it does not go on for free beside others that can.
TEST_F(ServicesTest, ATickIsNoFreeChoice) {
  publish(0, OperationKind::MutexLock, mutex_);
  publish(2, OperationKind::SemaphoreWait, semaphore_);
  sleep(1);
  world_.advance_clock(2000);
  EXPECT_NE(world_.task(1).state & TaskState::Enabled, 0);
  declare();
  world_.reevaluate(1);
  EXPECT_EQ(world_.task(1).state, TaskState::Timeout);
}

}  // namespace
}  // namespace heddle::model::test
