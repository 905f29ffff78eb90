// Interrupts: signals and cancellation, as the model sees them.
#include "model/interrupts.h"

#include <csignal>

#include "model/choices.h"
#include "model/fixture.h"

namespace heddle::model {
namespace {

using enum OperationKind;

constexpr int kSignal = SIGUSR1;

class InterruptsTest : public ModelTest {
 protected:
  // Its wait may be ended by a signal, and it is a cancellation point.
  static Operation ending(Operation operation) {
    operation.interruptible = Interrupt::Signal | Interrupt::Cancel;
    return operation;
  }
  Effect cancel(TaskId task) { return run(0, ThreadCancel, world.task(task).thread); }
  Effect send(TaskId task) {
    Operation sending = operation(SignalSend, task == kNoTask ? kNoObject : world.task(task).thread);
    sending.signal = kSignal;
    const Effect effect = run(0, sending);
    if (effect.result >= 0) signal_arrives(world, static_cast<TaskId>(effect.result), kSignal);
    if (effect.result == kForProcess) signal_arrives(world, kNoTask, kSignal);
    return effect;
  }
  Interruption interruption(TaskId task) const { return world.task(task).interruption; }
  void handled(TaskId task) { signal_taken(world, task, kSignal); }

  const TaskId waiter = add_task();
  const ObjectId semaphore = add(ObjectKind::Semaphore);
  const ObjectId mutex = add(ObjectKind::Mutex);
  const ObjectId condition = add(ObjectKind::Condition);
  const ObjectId barrier = add(ObjectKind::Barrier);
};

TEST_F(InterruptsTest, SignalEndsAWaitOrComesBeforeIt) {
  publish(waiter, ending(operation(SemaphoreWait, semaphore)));
  EXPECT_FALSE(enabled(waiter));
  EXPECT_EQ(send(waiter).result, waiter);
  EXPECT_TRUE(enabled(waiter));
  EXPECT_EQ(variants(world, waiter), 2);
  EXPECT_EQ(step(waiter, 0).result, EINTR);
  EXPECT_EQ(interruption(waiter), Interruption::Ended);
  handled(waiter);
  publish(waiter, ending(operation(SemaphoreWait, semaphore)));
  EXPECT_FALSE(enabled(waiter));
  send(waiter);
  EXPECT_EQ(step(waiter, 1).result, ERESTART);
  EXPECT_EQ(interruption(waiter), Interruption::Again);
}

// A sleep that has lasted for a while has begun; where threads may be slow (early timeouts), perhaps not.
TEST(InterruptsOfSleepsTest, SignalComesBeforeAWaitOnlyIfNoTimeHasPassed) {
  for (const bool early : {false, true}) {
    Limits limits;
    limits.timeouts = early ? Timeouts::Early : Timeouts::Late;
    World& world = fresh_world(limits);
    const TaskId other = 0, sleeper = world.add_task(0, 0, 0);
    world.schedule().begin_branching();
    Operation sleep = until(5, operation(Sleep));
    sleep.interruptible = Interrupt::Signal;
    world.publish(sleeper, sleep);
    world.publish(other, until(2, operation(Sleep)));
    EXPECT_TRUE(world.decide().nothing_enabled);
    world.step({other, kTimeout});
    signal_arrives(world, sleeper, kSignal);
    EXPECT_EQ(variants(world, sleeper), early ? 2 : 1);
    EXPECT_EQ(world.step({sleeper, 0}).result, EINTR);
  }
}

TEST_F(InterruptsTest, SignalComesBeforeWhatCouldGoOn) {
  world.object(semaphore).semaphore.value = 1;
  publish(waiter, ending(operation(SemaphoreWait, semaphore)));
  send(waiter);
  EXPECT_EQ(variants(world, waiter), 1);
  EXPECT_EQ(step(waiter).result, ERESTART);
  EXPECT_EQ(world.object(semaphore).semaphore.value, 1u);
}

TEST_F(InterruptsTest, NoSignalComesBeforeACallThatBringsAMask) {
  Operation wait = operation(DescriptorWait, add(ObjectKind::Descriptor));
  wait.interruptible = Interrupt::Signal | Interrupt::Begun;
  wait.argument = kNotReady;
  publish(waiter, wait);
  send(waiter);
  EXPECT_EQ(variants(world, waiter), 1);
  EXPECT_EQ(step(waiter).result, EINTR);
  EXPECT_EQ(interruption(waiter), Interruption::Ended);
}

TEST_F(InterruptsTest, ACallThatBringsAMaskTakesWhatIsThereBeforeASignal) {
  Operation wait = operation(DescriptorWait, add(ObjectKind::Descriptor));
  wait.interruptible = Interrupt::Signal | Interrupt::Begun;
  publish(waiter, wait);
  send(waiter);
  EXPECT_EQ(step(waiter).result, 0);
  EXPECT_EQ(interruption(waiter), Interruption::None);
}

TEST_F(InterruptsTest, WaitThatCannotFailIsPublishedAgain) {
  run(0, MutexLock, mutex);
  publish(waiter, operation(MutexLock, mutex));
  send(waiter);
  EXPECT_EQ(variants(world, waiter), 1);
  EXPECT_EQ(step(waiter).result, ERESTART);
  EXPECT_EQ(world.task(waiter).pending.kind, MutexLock);
  handled(waiter);
  publish(waiter, Operation(world.task(waiter).pending));
  EXPECT_FALSE(enabled(waiter));
}

TEST_F(InterruptsTest, BlockedSignalWaitsUntilItIsUnblocked) {
  block_signals(world, waiter, signal_bit(kSignal));
  publish(waiter, ending(operation(SemaphoreWait, semaphore)));
  send(waiter);
  EXPECT_FALSE(enabled(waiter));
  EXPECT_EQ(world.signals().arrived(world.task(waiter)), signal_bit(kSignal));
  block_signals(world, waiter, 0);
  EXPECT_TRUE(enabled(waiter));
}

TEST_F(InterruptsTest, KillAndStopCannotBeBlocked) {
  block_signals(world, waiter, ~std::uint64_t{0});
  EXPECT_EQ(world.task(waiter).blocked_signals & (signal_bit(SIGKILL) | signal_bit(SIGSTOP)), 0u);
}

TEST_F(InterruptsTest, SignalOfTheProcessGoesToOneThatDoesNotBlockIt) {
  const TaskId third = add_task();
  block_signals(world, 0, signal_bit(kSignal));
  publish(waiter, ending(operation(SemaphoreWait, semaphore)));
  publish(third, ending(operation(SemaphoreWait, semaphore)));
  Operation sending = operation(SignalSend);
  sending.signal = kSignal;
  publish(0, sending);
  EXPECT_EQ(variants(world, 0), 2);
  EXPECT_EQ(step(0, 1).result, third);
}

TEST_F(InterruptsTest, SignalOfTheProcessWaitsForWhoeverUnblocksIt) {
  block_signals(world, 0, signal_bit(kSignal));
  block_signals(world, waiter, signal_bit(kSignal));
  publish(waiter, ending(operation(SemaphoreWait, semaphore)));
  EXPECT_EQ(send(kNoTask).result, kForProcess);
  EXPECT_FALSE(enabled(waiter));
  block_signals(world, waiter, 0);
  EXPECT_TRUE(enabled(waiter));
  handled(kNoTask);
  EXPECT_FALSE(enabled(waiter));
}

TEST_F(InterruptsTest, SignalWaitTakesWhatItWaitsForEvenUnblocked) {
  Operation wait = ending(operation(SignalWait, world.task(waiter).thread));
  wait.argument = signal_bit(kSignal);
  publish(waiter, wait);
  EXPECT_FALSE(enabled(waiter));
  send(waiter);
  EXPECT_TRUE(enabled(waiter));
  EXPECT_EQ(step(waiter).result, kSignalTaken | kSignal);
  EXPECT_EQ(interruption(waiter), Interruption::None);
}

TEST_F(InterruptsTest, SignalWaitIsATakerOfABlockedSignal) {
  block_signals(world, 0, signal_bit(kSignal));
  block_signals(world, waiter, signal_bit(kSignal));
  Operation wait = ending(operation(SignalWait, world.task(waiter).thread));
  wait.argument = signal_bit(kSignal);
  publish(waiter, wait);
  EXPECT_EQ(send(kNoTask).result, waiter);
}

// What was sent to the process before it waited comes first.
TEST_F(InterruptsTest, SignalWaitDoesNotTakeALaterSignalOfTheProcessFirst) {
  block_signals(world, 0, signal_bit(kSignal));
  block_signals(world, waiter, signal_bit(kSignal));
  EXPECT_EQ(send(kNoTask).result, kForProcess);
  Operation wait = ending(operation(SignalWait, world.task(waiter).thread));
  wait.argument = signal_bit(kSignal);
  publish(waiter, wait);
  EXPECT_TRUE(enabled(waiter));
  EXPECT_EQ(send(kNoTask).result, kForProcess);
  handled(kNoTask);
  EXPECT_EQ(send(kNoTask).result, waiter);
}

TEST_F(InterruptsTest, SuspendPutsItsMaskIntoForceAndWaits) {
  block_signals(world, waiter, signal_bit(kSignal));
  publish(waiter, ending(operation(SignalSuspend, world.task(waiter).thread)));
  send(waiter);
  EXPECT_FALSE(step(waiter).completes);
  EXPECT_EQ(pending(waiter), SignalSuspended);
  EXPECT_TRUE(enabled(waiter));
  EXPECT_EQ(variants(world, waiter), 1);
  EXPECT_EQ(step(waiter).result, EINTR);
}

TEST_F(InterruptsTest, HandlerRunsInAConditionWaitWithoutWakingIt) {
  run(waiter, MutexLock, mutex);
  run(waiter, wait_on(condition, mutex));
  send(waiter);
  EXPECT_EQ(step(waiter).result, ERESTART);
  EXPECT_EQ(world.object(condition).condition.waiters.count, 0);
  handled(waiter);
  EXPECT_EQ(pending(waiter), ConditionRejoin);
  publish(waiter, Operation(world.task(waiter).pending));
  EXPECT_FALSE(step(waiter).completes);
  EXPECT_FALSE(enabled(waiter));
  run(0, ConditionSignal, condition);
  EXPECT_EQ(pending(waiter), MutexReacquire);
}

TEST_F(InterruptsTest, SignalDuringTheHandlerIsNotLost) {
  run(waiter, MutexLock, mutex);
  run(waiter, wait_on(condition, mutex));
  send(waiter);
  step(waiter);
  handled(waiter);
  run(0, ConditionSignal, condition);
  publish(waiter, Operation(world.task(waiter).pending));
  step(waiter);
  EXPECT_EQ(pending(waiter), MutexReacquire);
  EXPECT_EQ(step(waiter).result, 0);
}

TEST_F(InterruptsTest, HandlerRunsAtABarrierThatCompletesMeanwhile) {
  world.object(barrier).barrier.threshold = 2;
  run(waiter, BarrierArrive, barrier);
  send(waiter);
  step(waiter);
  handled(waiter);
  EXPECT_EQ(run(0, BarrierArrive, barrier).result, -1);
  publish(0, operation(BarrierDestroy, barrier));
  EXPECT_FALSE(enabled(0));
  publish(waiter, Operation(world.task(waiter).pending));
  EXPECT_EQ(step(waiter).result, 0);
  EXPECT_TRUE(enabled(0));
}

TEST_F(InterruptsTest, HandlerAtABarrierStillCountsAsArrived) {
  world.object(barrier).barrier.threshold = 2;
  run(waiter, BarrierArrive, barrier);
  send(waiter);
  step(waiter);
  handled(waiter);
  publish(waiter, Operation(world.task(waiter).pending));
  EXPECT_FALSE(step(waiter).completes);
  EXPECT_FALSE(enabled(waiter));
  run(0, BarrierArrive, barrier);
  EXPECT_TRUE(enabled(waiter));
}

TEST_F(InterruptsTest, FutexWaitEndsAndLeavesTheQueue) {
  const ObjectId futex = add(ObjectKind::Futex);
  std::uint32_t word = 1;
  Operation wait = ending(operation(FutexWait, futex));
  wait.word = &word;
  wait.expected = 1;
  wait.argument = ~std::uint32_t{0};
  run(waiter, wait);
  send(waiter);
  EXPECT_EQ(step(waiter).result, EINTR);
  EXPECT_EQ(world.object(futex).futex.waiters.count, 0);
  EXPECT_EQ(pending(waiter), FutexWait);  // where it is made again
}

TEST_F(InterruptsTest, WokenFutexWaitIsNotEndedBySignal) {
  const ObjectId futex = add(ObjectKind::Futex);
  std::uint32_t word = 1;
  Operation wait = ending(operation(FutexWait, futex)), wake = operation(FutexWake, futex);
  wait.word = &word;
  wait.expected = 1;
  wait.argument = ~std::uint32_t{0};
  wake.argument = 1 | std::uint64_t{~std::uint32_t{0}} << 32;
  run(waiter, wait);
  run(0, wake);
  send(waiter);
  EXPECT_EQ(step(waiter).result, 0);
}

TEST_F(InterruptsTest, CancellationIsFollowedAtAPointOnly) {
  publish(waiter, operation(MutexLock, mutex));
  cancel(waiter);
  EXPECT_EQ(step(waiter).result, 0);
  publish(waiter, ending(operation(SemaphoreWait, semaphore)));
  EXPECT_TRUE(enabled(waiter));
  EXPECT_EQ(step(waiter).result, ECANCELED);
  EXPECT_EQ(interruption(waiter), Interruption::Cancelled);
  change_cancellation(world, waiter, Cancellation::Asked, 0);  // once more: it is under way
  publish(waiter, ending(operation(SemaphoreWait, semaphore)));
  EXPECT_FALSE(enabled(waiter));
}

TEST_F(InterruptsTest, DisabledCancellationWaits) {
  change_cancellation(world, waiter, Cancellation::Disabled, 0);
  publish(waiter, ending(operation(SemaphoreWait, semaphore)));
  cancel(waiter);
  EXPECT_FALSE(enabled(waiter));
  change_cancellation(world, waiter, 0, Cancellation::Disabled);
  EXPECT_TRUE(enabled(waiter));
}

TEST_F(InterruptsTest, AsynchronousCancellationIsFollowedAnywhere) {
  run(0, MutexLock, mutex);
  change_cancellation(world, waiter, Cancellation::Asynchronous, 0);
  publish(waiter, operation(MutexLock, mutex));
  EXPECT_FALSE(enabled(waiter));
  cancel(waiter);
  EXPECT_EQ(step(waiter).result, ECANCELED);
}

TEST_F(InterruptsTest, CancelledConditionWaitHasTheMutexAgain) {
  run(waiter, MutexLock, mutex);
  run(waiter, ending(wait_on(condition, mutex)));
  run(0, MutexLock, mutex);
  cancel(waiter);
  EXPECT_FALSE(step(waiter).completes);
  EXPECT_EQ(pending(waiter), MutexReacquire);
  EXPECT_FALSE(enabled(waiter));
  run(0, MutexUnlock, mutex);
  EXPECT_EQ(step(waiter).result, ECANCELED);
  EXPECT_EQ(world.object(mutex).mutex.owner, waiter);
  EXPECT_EQ(world.object(condition).condition.waiters.count, 0);
}

TEST_F(InterruptsTest, JoinWithAnEndedThreadIsNotCancelled) {
  const TaskId third = add_task();
  run(third, ThreadExit, world.task(third).thread);
  publish(waiter, ending(operation(ThreadJoin, world.task(third).thread)));
  cancel(waiter);
  EXPECT_EQ(step(waiter).result, 0);
}

TEST_F(InterruptsTest, StartsAndEndsAreNotInterrupted) {
  publish(waiter, operation(ThreadStart, world.task(waiter).thread));
  send(waiter);
  EXPECT_EQ(step(waiter).result, 0);
  EXPECT_EQ(interruption(waiter), Interruption::None);
  run(waiter, ThreadExit, world.task(waiter).thread);
  EXPECT_EQ(send(waiter).result, kNobody);
  EXPECT_EQ(cancel(waiter).result, 0);
}

class TimerTest : public InterruptsTest {
 protected:
  void arm(Nanoseconds deadline, bool patient = false) {
    Operation expire = until(deadline, operation(TimerExpire, world.task(timer).thread));
    expire.signal = kSignal;
    expire.patient = patient;
    publish(timer, expire);
  }
  const TaskId timer = add_timer(world, 0, 0);
};

TEST_F(TimerTest, DoesNotCountAsAThread) {
  arm(kNoDeadline);
  EXPECT_EQ(world.population().live_tasks(), 2u);
  EXPECT_FALSE(enabled(timer));
  publish(0, operation(SignalSuspended, world.task(0).thread));
  publish(waiter, operation(SemaphoreWait, semaphore));
  EXPECT_EQ(world.decide().status, Decision::Status::Deadlock);
}

TEST_F(TimerTest, SendsWhenItHasExpired) {
  arm(10);
  publish(0, ending(operation(SignalSuspended, world.task(0).thread)));
  publish(waiter, operation(SemaphoreWait, semaphore));
  block_signals(world, 0, signal_bit(kSignal));
  const Decision& decision = world.decide();
  EXPECT_EQ(decision.choice, (Choice{timer, kTimeout}));
  EXPECT_FALSE(world.step(decision.choice).completes);
  EXPECT_EQ(world.clock().now(), 10);
  EXPECT_EQ(pending(timer), SignalSend);
  EXPECT_EQ(step(timer).result, waiter);
}

TEST_F(TimerTest, WithoutASignalIsDoneWhenItHasExpired) {
  arm(10);
  world.task(timer).pending.signal = 0;
  publish(0, ending(operation(SignalSuspended, world.task(0).thread)));
  publish(waiter, operation(SemaphoreWait, semaphore));
  const Effect effect = world.step(world.decide().choice);
  EXPECT_TRUE(effect.completes);
  EXPECT_TRUE(effect.timed_out);
  EXPECT_EQ(world.clock().now(), 10);
  EXPECT_FALSE(world.task(timer).published);
}

TEST_F(TimerTest, NothingThatEndsLaterEndsBeforeIt) {
  publish(waiter, until(20, operation(SemaphoreWait, semaphore)));
  world.decide();
  EXPECT_TRUE(allowed(world, {waiter, kTimeout}));
  arm(10);
  Operation expire = world.task(timer).pending;
  expire.one_shot = true;
  publish(timer, expire);
  world.decide();
  EXPECT_FALSE(allowed(world, {waiter, kTimeout}));
  EXPECT_TRUE(allowed(world, {timer, kTimeout}));
  world.step({timer, kTimeout});
  world.decide();
  EXPECT_TRUE(allowed(world, {waiter, kTimeout}));
}

TEST_F(TimerTest, APatientOneExpiresOnlyWhenItsTimeIsOver) {
  arm(10, true);
  publish(0, operation(SignalSuspended, world.task(0).thread));
  publish(waiter, operation(SemaphoreWait, semaphore));
  EXPECT_EQ(world.decide().status, Decision::Status::Deadlock);
  world.advance_clock(11);
  EXPECT_TRUE(enabled(timer));
}

TEST_F(TimerTest, APatientOneExpiresBeforeAWaitThatEndsLater) {
  arm(10, true);
  Operation expire = world.task(timer).pending;
  expire.one_shot = true;
  publish(timer, expire);
  publish(0, operation(SignalSuspended, world.task(0).thread));
  publish(waiter, until(20, operation(SemaphoreWait, semaphore)));
  EXPECT_EQ(world.decide().choice, (Choice{timer, kTimeout}));
  EXPECT_FALSE(allowed(world, {waiter, kTimeout}));
  publish(waiter, until(5, operation(SemaphoreWait, semaphore)));
  EXPECT_EQ(world.decide().choice, (Choice{waiter, kTimeout}));
  EXPECT_FALSE(allowed(world, {timer, kTimeout}));
  publish(waiter, operation(SemaphoreWait, semaphore));
  EXPECT_EQ(world.decide().status, Decision::Status::Deadlock);
}

}  // namespace
}  // namespace heddle::model
