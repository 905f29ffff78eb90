// Loops that wait without yielding count as yielding at the places that the driver has found.
#include "model/fixture.h"

namespace heddle::model {
namespace {

using enum OperationKind;

class SpinPlacesTest : public ModelTest {
 protected:
  SpinPlacesTest() {
    world.schedule().begin_branching();
    world.population().spin_places().watch(places, 1);
    publish(other_task, operation(MutexLock, other));
  }
  Operation lock_at(ObjectId object, Site site) {
    Operation result = operation(MutexLock, object);
    result.site = site;
    return result;
  }
  void round(ObjectId object, Site site = kPlace) {
    run(0, lock_at(object, site));
    run(0, MutexUnlock, object);
  }
  bool is_held_back() {
    world.decide();
    return !allowed(world, {0, 0});
  }

  static constexpr Site kPlace = 0x77;
  const SpinPlace places[1] = {{kPlace, 2}};
  const ObjectId mutex = add(ObjectKind::Mutex), other = add(ObjectKind::Mutex);
  const TaskId other_task = add_task();
};

TEST_F(SpinPlacesTest, WhoComesRoundYields) {
  publish(0, lock_at(mutex, kPlace));
  EXPECT_TRUE(world.decide().switch_costs);  // the first time is no round
  step(0);
  run(0, MutexUnlock, mutex);
  publish(0, lock_at(mutex, kPlace));
  EXPECT_FALSE(world.decide().switch_costs);
  EXPECT_TRUE(allowed(world, {0, 0}));  // a first yield holds nobody back
  step(0);
  run(0, MutexUnlock, mutex);
  publish(0, lock_at(mutex, kPlace));
  EXPECT_TRUE(is_held_back());
  step(other_task);
  EXPECT_FALSE(is_held_back());
}

// A call of a library is a step on one object, and the lock that it takes in there is another one, at the same place.
TEST_F(SpinPlacesTest, APlaceMayBeOneForTwoObjects) {
  const ObjectId inner = add(ObjectKind::Mutex);
  const SpinPlace both[1] = {{kPlace, 4}};
  world.population().spin_places().watch(both, 1);
  run(0, lock_at(mutex, kPlace));
  run(0, lock_at(inner, kPlace));
  run(0, MutexUnlock, inner);
  run(0, MutexUnlock, mutex);
  publish(0, lock_at(mutex, kPlace));
  EXPECT_TRUE(world.task(0).comes_round);
}

// A queue that asks each of its many producers has one place for all of them.
TEST_F(SpinPlacesTest, APlaceMayBeOneForManyObjects) {
  ObjectId locks[20];
  for (ObjectId& lock : locks) lock = add(ObjectKind::Mutex);
  const SpinPlace all[1] = {{kPlace, 40}};
  world.population().spin_places().watch(all, 1);
  for (const ObjectId lock : locks) round(lock);
  publish(0, lock_at(locks[0], kPlace));
  EXPECT_TRUE(world.task(0).comes_round);
}

TEST_F(SpinPlacesTest, AnotherPlaceOrObjectIsNoRound) {
  for (int i = 0; i < 5; ++i) round(mutex, 0x78);
  for (int i = 0; i < 5; ++i) round(add(ObjectKind::Mutex));
  publish(0, lock_at(mutex, kPlace));
  EXPECT_FALSE(is_held_back());
  EXPECT_TRUE(world.decide().switch_costs);
}

TEST_F(SpinPlacesTest, WhoHasDoneOtherThingsSinceIsInNoRound) {
  for (int i = 0; i < 5; ++i) {
    round(mutex);
    round(other, 0x78);
  }
  publish(0, lock_at(mutex, kPlace));
  EXPECT_TRUE(world.decide().switch_costs);
}

// What others do in between makes no difference: equivalent executions yield alike.
TEST_F(SpinPlacesTest, OnlyOwnStepsCount) {
  round(mutex);
  step(other_task);
  run(other_task, MutexUnlock, other);
  run(other_task, MutexLock, other);
  run(other_task, MutexUnlock, other);
  run(0, lock_at(mutex, 0x78));
  run(0, MutexUnlock, mutex);
  publish(0, lock_at(mutex, kPlace));
  EXPECT_TRUE(world.decide().switch_costs);  // four steps of its own
  step(0);
  run(0, MutexUnlock, mutex);
  run(other_task, MutexLock, other);
  publish(0, lock_at(mutex, kPlace));
  EXPECT_TRUE(world.task(0).comes_round);
}

// A loop is found by several places in it, each time another thread was waited for there.
TEST_F(SpinPlacesTest, PlacesOfOneRoundAreEachKnownAgain) {
  constexpr std::uint32_t kMany = 17;  // places 8 apart are in one round
  SpinPlace many[kMany];
  for (std::uint32_t i = 0; i < kMany; ++i) many[i] = {kPlace + i, 4};
  world.population().spin_places().watch(many, kMany);
  round(mutex, kPlace);
  round(mutex, kPlace + 8);
  publish(0, lock_at(mutex, kPlace));
  EXPECT_FALSE(world.decide().switch_costs);
  step(0);
  run(0, MutexUnlock, mutex);
  publish(0, lock_at(mutex, kPlace + 8));
  EXPECT_FALSE(world.decide().switch_costs);
}

}  // namespace
}  // namespace heddle::model
