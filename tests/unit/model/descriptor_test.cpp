// Operations on descriptors: the runtime says whether they can go on.
#include "model/choices.h"
#include "model/fixture.h"
#include "model/outside.h"

namespace heddle::model {
namespace {

using enum OperationKind;

class DescriptorTest : public ModelTest {
 protected:
  const ObjectId pipe = add(ObjectKind::Descriptor);
};

TEST_F(DescriptorTest, WaitsUntilTheKernelIsReady) {
  const TaskId reader = add_task();
  Operation read = operation(DescriptorRead, pipe);
  read.argument = kNotReady;
  publish(reader, read);
  EXPECT_FALSE(enabled(reader));
  set_ready(world, reader, true);
  EXPECT_TRUE(enabled(reader));
  set_ready(world, reader, false);  // another reader was faster
  EXPECT_FALSE(enabled(reader));
}

TEST_F(DescriptorTest, CallsThatDoNotBlockGoOnAtOnce) {
  EXPECT_EQ(run(0, DescriptorRead, pipe).result, 0);
  EXPECT_TRUE(run(0, DescriptorWrite, pipe).released);
  EXPECT_TRUE(run(0, DescriptorControl, pipe).released);
}

// Who opens an end may be what another one waits for: what it did before is ordered before what that one does then.
TEST_F(DescriptorTest, OpeningOrdersAndWaits) {
  EXPECT_TRUE(run(0, DescriptorOpen, pipe).released);
  const TaskId reader = add_task();
  Operation open = operation(DescriptorOpen, pipe);
  open.argument = kNotReady;
  publish(reader, open);
  EXPECT_FALSE(enabled(reader));
  set_ready(world, reader, true);
  EXPECT_TRUE(enabled(reader));
}

// Each that stands at a call on what is closed has looked it up, or comes too late: asked anew at each decision.
TEST_F(DescriptorTest, ClosingHasAnAlternativeForEachWay) {
  static std::uint16_t ways;
  Closing closing;
  closing.ways = [](const Closing&) { return ways; };
  Operation close = operation(DescriptorControl, pipe);
  EXPECT_EQ(variants(world, 0), 1);
  close.closing = &closing;
  publish(0, close);
  ways = 1;
  EXPECT_EQ(variants(world, 0), 1);
  ways = 4;
  EXPECT_EQ(variants(world, 0), 4);
  world.decide();
  EXPECT_TRUE(allowed(world, {0, 3}));
  EXPECT_FALSE(allowed(world, {0, 4}));
  EXPECT_TRUE(step(0, 3).released);
  EXPECT_EQ(world.task(0).variant, 3);
}

TEST_F(DescriptorTest, ATimeLimitEndsTheWait) {
  const TaskId poller = add_task();
  Operation poll = operation(DescriptorWait, pipe);
  poll.argument = kNotReady;
  poll.deadline = 500;
  publish(poller, poll);
  EXPECT_EQ(world.clock().earliest_deadline(world.population()), 500);
  const Effect effect = step(poller, kTimeout);
  EXPECT_EQ(effect.result, ETIMEDOUT);
  EXPECT_TRUE(effect.timed_out);
  EXPECT_EQ(world.clock().now(), 500);
}

}  // namespace
}  // namespace heddle::model
