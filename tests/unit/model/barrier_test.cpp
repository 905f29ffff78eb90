// Barriers: rounds, the serial thread, reuse and destruction.
#include "model/explore.h"
#include "model/fixture.h"

namespace heddle::model {
namespace {

using enum OperationKind;

constexpr int kSerialThread = -1;

class BarrierTest : public ModelTest {
 protected:
  BarrierTest() { world.object(barrier).barrier.threshold = 2; }
  const ObjectId barrier = add(ObjectKind::Barrier);
  const TaskId second = add_task(), third = add_task();
};

TEST_F(BarrierTest, TheLastToArriveIsTheSerialThreadAndReleasesTheOthers) {
  const Effect first = run(0, BarrierArrive, barrier);
  EXPECT_FALSE(first.completes);
  EXPECT_TRUE(first.released);
  EXPECT_FALSE(enabled(0));
  const Effect last = run(second, BarrierArrive, barrier);
  EXPECT_TRUE(last.completes && last.released);
  EXPECT_EQ(last.result, kSerialThread);
  EXPECT_EQ(step(0).result, 0);
}

TEST_F(BarrierTest, TheNextRoundMayBeginWhileSomeAreStillLeaving) {
  run(0, BarrierArrive, barrier);
  run(second, BarrierArrive, barrier);
  EXPECT_FALSE(run(second, BarrierArrive, barrier).completes);
  EXPECT_TRUE(enabled(0));
  EXPECT_FALSE(enabled(second));
  EXPECT_EQ(run(third, BarrierArrive, barrier).result, kSerialThread);
  EXPECT_TRUE(enabled(second));
  EXPECT_EQ(world.object(barrier).barrier.leaving, 2u);
}

TEST_F(BarrierTest, DestroyWaitsForThoseWhoLeave) {
  run(0, BarrierArrive, barrier);
  run(second, BarrierArrive, barrier);
  publish(second, operation(BarrierDestroy, barrier));
  EXPECT_FALSE(enabled(second));
  step(0);
  EXPECT_EQ(step(second).misuse, nullptr);
  expect_misuse(run(0, BarrierArrive, barrier), "used a barrier after it was destroyed");
  expect_misuse(run(second, BarrierDestroy, barrier), "used a barrier after it was destroyed");
}

TEST_F(BarrierTest, DestroyWhileThreadsWaitIsMisuse) {
  run(0, BarrierArrive, barrier);
  expect_misuse(run(second, BarrierDestroy, barrier), "destroyed a barrier that threads wait on");
}

TEST_F(BarrierTest, ABarrierForOneNeverWaits) {
  world.object(barrier).barrier.threshold = 1;
  EXPECT_EQ(run(0, BarrierArrive, barrier).result, kSerialThread);
  EXPECT_EQ(run(0, BarrierArrive, barrier).result, kSerialThread);
}

struct Rounds {
  int arrived[2] = {};
  int serial[2] = {};
};

Body go_through(Rounds& rounds, ObjectId barrier) {
  for (int round = 0; round < 2; ++round) {
    ++rounds.arrived[round];
    rounds.serial[round] += co_await operation(BarrierArrive, barrier) == kSerialThread;
    EXPECT_EQ(rounds.arrived[round], 2) << "left before all had arrived";
  }
}

TEST(BarrierPrograms, NobodyLeavesARoundBeforeAllHaveArrivedAndOneIsSerial) {
  Rounds rounds;
  ExploreOptions options;
  options.at_decision = [](World& world, const Decision&) { expect_consistent(world); };
  const Exploration result = explore(
      [&](Program& program) {
        rounds = Rounds();
        const ObjectId barrier = program.add(ObjectKind::Barrier);
        program.world().object(barrier).barrier.threshold = 2;
        for (int i = 0; i < 2; ++i) program.add_task(go_through(rounds, barrier));
        program.outcome = [&rounds] { return std::to_string(rounds.serial[0]) + std::to_string(rounds.serial[1]); };
      },
      options);
  EXPECT_TRUE(result.complete);
  EXPECT_EQ(result.deadlocks, 0u);
  EXPECT_EQ(result.outcomes, std::set<std::string>{"11"});
}

}  // namespace
}  // namespace heddle::model
