// One-time initialization.
#include "model/once.h"

#include "model/explore.h"
#include "model/fixture.h"
#include "model/holder.h"

namespace heddle::model {
namespace {

using enum OperationKind;

class OnceTest : public ModelTest {
 protected:
  const ObjectId once = add(ObjectKind::Once);
  const TaskId second = add_task();
};

TEST_F(OnceTest, TheFirstRunsTheInitializerAndTheOthersWaitForIt) {
  EXPECT_EQ(run(0, OnceBegin, once).result, 1);
  publish(second, operation(OnceBegin, once));
  EXPECT_FALSE(enabled(second));
  EXPECT_EQ(holder(world, once, nullptr), 0);
  EXPECT_TRUE(run(0, OnceEnd, once).released);
  expect_refused(step(second), 0);
  expect_refused(run(0, OnceBegin, once), 0);
  EXPECT_EQ(holder(world, once, nullptr), kNoTask);
}

TEST_F(OnceTest, WhoHasSeenThatItIsDoneKnows) {
  run(0, OnceBegin, once);
  EXPECT_FALSE(knows_done(world, once, 0));
  run(0, OnceEnd, once);
  EXPECT_TRUE(is_done(world, once));
  EXPECT_TRUE(knows_done(world, once, 0));
  EXPECT_FALSE(knows_done(world, once, second));
  run(second, OnceBegin, once);
  EXPECT_TRUE(knows_done(world, once, second));
}

TEST_F(OnceTest, NobodyKnowsOfOneThatThrew) {
  run(0, OnceBegin, once);
  run(0, OnceAbort, once);
  EXPECT_FALSE(is_done(world, once));
  EXPECT_FALSE(knows_done(world, once, 0));
}

TEST_F(OnceTest, AfterAnInitializerThatThrewTheNextOneRunsIt) {
  run(0, OnceBegin, once);
  publish(second, operation(OnceBegin, once));
  EXPECT_TRUE(run(0, OnceAbort, once).released);
  EXPECT_EQ(step(second).result, 1);
  run(second, OnceEnd, once);
  expect_refused(run(0, OnceBegin, once), 0);
}

TEST_F(OnceTest, AnInitializerThatBeginsItselfWaitsForEver) {
  run(0, OnceBegin, once);
  publish(0, operation(OnceBegin, once));
  EXPECT_FALSE(enabled(0));
}

TEST_F(OnceTest, OnlyTheOneWhoBeganMayEnd) {
  run(0, OnceBegin, once);
  expect_misuse(run(second, OnceEnd, once), "ended a one-time initialization that it did not begin");
}

struct Initialized {
  int tries = 0, completed = 0;
};

// The first `throwing` tries throw.
Body initialize(Initialized& state, ObjectId once, int throwing) {
  while (co_await operation(OnceBegin, once) == 1) {
    const bool throws = state.tries++ < throwing;
    co_await operation(Yield);
    state.completed += !throws;
    co_await operation(throws ? OnceAbort : OnceEnd, once);
    if (throws) co_return;
  }
  EXPECT_EQ(state.completed, 1);
}

TEST(OncePrograms, ExactlyOneInitializerCompletes) {
  for (const int throwing : {0, 1}) {
    Initialized state;
    const Exploration result = explore([&](Program& program) {
      state = Initialized();
      const ObjectId once = program.add(ObjectKind::Once);
      for (int i = 0; i < 2; ++i) program.add_task(initialize(state, once, throwing));
      program.outcome = [&state] { return std::to_string(state.tries) + std::to_string(state.completed); };
    });
    EXPECT_TRUE(result.complete);
    EXPECT_EQ(result.deadlocks, 0u);
    EXPECT_EQ(result.outcomes, std::set<std::string>{throwing == 0 ? "11" : "21"});
  }
}

}  // namespace
}  // namespace heddle::model
