// Signals that no thread sends by a step: SIGPIPE comes with a write, SIGCHLD from outside, a file of signals takes
// what its reader blocks, and a message queue's notice follows a message.
#include <csignal>

#include "model/fixture.h"
#include "model/interrupts.h"
#include "model/outside.h"

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
  signal_arrives(world, 0, SIGPIPE);
  EXPECT_EQ(world.signals().deliverable(world.task(0)), signal_bit(SIGPIPE));
  EXPECT_EQ(world.signals().deliverable(world.task(other)), 0u);
  signal_taken(world, 0, SIGPIPE);
  EXPECT_EQ(world.signals().deliverable(world.task(0)), 0u);
}

TEST_F(PostedSignalsTest, ABrokenPipeThatIsBlockedIsKeptForTheWriter) {
  block_signals(world, 0, signal_bit(SIGPIPE));
  signal_arrives(world, 0, SIGPIPE);
  EXPECT_EQ(world.signals().deliverable(world.task(0)), 0u);
  EXPECT_EQ(world.signals().arrived(world.task(0)), signal_bit(SIGPIPE));
  publish(0, waiting_for(semaphore));
  EXPECT_FALSE(enabled(0));
  block_signals(world, 0, 0);
  EXPECT_TRUE(enabled(0));
  EXPECT_EQ(step(0).result, EINTR);
}

TEST_F(PostedSignalsTest, AChildsEndIsForAnyThreadThatDoesNotBlockIt) {
  block_signals(world, 0, signal_bit(SIGCHLD));
  publish(0, waiting_for(semaphore));
  publish(other, waiting_for(semaphore));
  signal_arrives(world, kNoTask, SIGCHLD);
  EXPECT_FALSE(enabled(0));
  EXPECT_TRUE(enabled(other));
  signal_taken(world, kNoTask, SIGCHLD);
  EXPECT_FALSE(enabled(other));
}

TEST_F(PostedSignalsTest, AChildsEndWaitsUntilAThreadTakesIt) {
  block_signals(world, 0, signal_bit(SIGCHLD));
  block_signals(world, other, signal_bit(SIGCHLD));
  signal_arrives(world, kNoTask, SIGCHLD);
  signal_arrives(world, kNoTask, SIGCHLD);  // of two, one is left, as in the kernel
  Operation wait = operation(SignalWait, world.task(other).thread);
  wait.argument = signal_bit(SIGCHLD);
  publish(other, wait);
  EXPECT_TRUE(enabled(other));
  EXPECT_EQ(step(other).result, kSignalTaken | kFromProcess | SIGCHLD);
  signal_taken(world, kNoTask, SIGCHLD);
  publish(other, wait);
  EXPECT_FALSE(enabled(other));
}

TEST_F(PostedSignalsTest, AFileOfSignalsTakesWhatItsReaderBlocks) {
  for (const TaskId task : {TaskId{0}, other}) block_signals(world, task, signal_bit(SIGUSR1));
  publish(0, reading(pipe, false));
  publish(other, reading(pipe, false));
  signal_arrives(world, kNoTask, SIGUSR1);
  EXPECT_FALSE(enabled(0)) << "no handler is to run, and nobody has said that the file is readable";
  set_ready(world, 0, true);
  set_ready(world, other, true);
  EXPECT_TRUE(enabled(0) && enabled(other));
  EXPECT_EQ(step(0).result, 0);
  signal_taken(world, kNoTask, SIGUSR1);
  set_ready(world, other, false);
  EXPECT_FALSE(enabled(other));
  EXPECT_EQ(world.signals().arrived(world.task(other)), 0u);
}

TEST_F(PostedSignalsTest, ANoticeGoesToAThreadThatDoesNotBlockIt) {
  block_signals(world, other, kAll);  // as the thread of another notice does
  EXPECT_TRUE(run(0, DescriptorWrite, pipe).released);
  Operation notice = operation(SignalSend);
  notice.signal = SIGUSR2;
  EXPECT_EQ(run(0, notice).result, 0);
  block_signals(world, 0, signal_bit(SIGUSR2));
  EXPECT_EQ(run(0, notice).result, kForProcess);
}

}  // namespace
}  // namespace heddle::model
