// Signals that no thread sends by a step: SIGPIPE comes with a write, SIGCHLD from outside, a file of signals takes
// what its reader blocks, and a message queue's notice follows a message.
#include <csignal>

#include "model/fixture.h"
#include "model/interrupts.h"

namespace heddle::model {
namespace {

using enum OperationKind;

constexpr std::uint64_t kAll = ~std::uint64_t{0};

class PostedSignalsTest : public ModelTest {
 protected:
  Operation waiting_for(ObjectId object) const {
    Operation wait = operation(SemaphoreWait, object);
    wait.interruptible = Interrupt::Signal;
    return wait;
  }
  Operation reading(ObjectId object, bool ready) const {
    Operation read = operation(DescriptorRead, object);
    read.argument = ready ? 0 : kNotReady;
    read.interruptible = Interrupt::Signal;
    return read;
  }

  const TaskId other = add_task();
  const ObjectId semaphore = add(ObjectKind::Semaphore);
  const ObjectId pipe = add(ObjectKind::Descriptor);
};

TEST_F(PostedSignalsTest, ABrokenPipeSignalsTheWriterAlone) {
  EXPECT_EQ(run(0, DescriptorWrite, pipe).result, 0);
  world.signal_arrives(0, SIGPIPE);
  EXPECT_EQ(world.deliverable_signals(0), signal_bit(SIGPIPE));
  EXPECT_EQ(world.deliverable_signals(other), 0u);
  world.signal_taken(0, SIGPIPE);
  EXPECT_EQ(world.deliverable_signals(0), 0u);
}

TEST_F(PostedSignalsTest, ABrokenPipeThatIsBlockedIsKeptForTheWriter) {
  world.block_signals(0, signal_bit(SIGPIPE));
  world.signal_arrives(0, SIGPIPE);
  EXPECT_EQ(world.deliverable_signals(0), 0u);
  EXPECT_EQ(world.arrived_signals(0), signal_bit(SIGPIPE));
  publish(0, waiting_for(semaphore));
  EXPECT_FALSE(enabled(0));
  world.block_signals(0, 0);
  EXPECT_TRUE(enabled(0));
  EXPECT_EQ(step(0).result, EINTR);
}

TEST_F(PostedSignalsTest, AChildsEndIsForAnyThreadThatDoesNotBlockIt) {
  world.block_signals(0, signal_bit(SIGCHLD));
  publish(0, waiting_for(semaphore));
  publish(other, waiting_for(semaphore));
  world.signal_arrives(kNoTask, SIGCHLD);
  EXPECT_FALSE(enabled(0));
  EXPECT_TRUE(enabled(other));
  world.signal_taken(kNoTask, SIGCHLD);
  EXPECT_FALSE(enabled(other));
}

TEST_F(PostedSignalsTest, AChildsEndWaitsUntilAThreadTakesIt) {
  world.block_signals(0, signal_bit(SIGCHLD));
  world.block_signals(other, signal_bit(SIGCHLD));
  world.signal_arrives(kNoTask, SIGCHLD);
  world.signal_arrives(kNoTask, SIGCHLD);  // of two, one is left, as in the kernel
  Operation wait = operation(SignalWait, world.task(other).thread);
  wait.argument = signal_bit(SIGCHLD);
  publish(other, wait);
  EXPECT_TRUE(enabled(other));
  EXPECT_EQ(step(other).result, kSignalTaken | kFromProcess | SIGCHLD);
  world.signal_taken(kNoTask, SIGCHLD);
  publish(other, wait);
  EXPECT_FALSE(enabled(other));
}

TEST_F(PostedSignalsTest, AFileOfSignalsTakesWhatItsReaderBlocks) {
  for (const TaskId task : {TaskId{0}, other}) world.block_signals(task, signal_bit(SIGUSR1));
  publish(0, reading(pipe, false));
  publish(other, reading(pipe, false));
  world.signal_arrives(kNoTask, SIGUSR1);
  EXPECT_FALSE(enabled(0)) << "no handler is to run, and nobody has said that the file is readable";
  world.set_ready(0, true);
  world.set_ready(other, true);
  EXPECT_TRUE(enabled(0) && enabled(other));
  EXPECT_EQ(step(0).result, 0);
  world.signal_taken(kNoTask, SIGUSR1);
  world.set_ready(other, false);
  EXPECT_FALSE(enabled(other));
  EXPECT_EQ(world.arrived_signals(other), 0u);
}

TEST_F(PostedSignalsTest, ANoticeGoesToAThreadThatDoesNotBlockIt) {
  world.block_signals(other, kAll);  // as the thread of another notice does
  EXPECT_TRUE(run(0, DescriptorWrite, pipe).released);
  Operation notice = operation(SignalSend);
  notice.signal = SIGUSR2;
  EXPECT_EQ(run(0, notice).result, 0);
  world.block_signals(0, signal_bit(SIGUSR2));
  EXPECT_EQ(run(0, notice).result, kForProcess);
}

}  // namespace
}  // namespace heddle::model
