// See ordering.h. What a kind of operation orders, and why, is said in the table order_step().
#include "model/ordering.h"

#include <cerrno>
#include <initializer_list>

namespace heddle::model {
namespace {

// Channels of an object besides 0.
constexpr unsigned kReaders = 1;  // of a reader-writer lock: what readers have released, for writers only
constexpr unsigned kSignals = 2;  // of a thread: signals and cancellation; of object 0: signals for the process
constexpr unsigned kRobust = 3;   // of object 0: robust mutexes that ended threads have left

// Got what it asked for, perhaps from an owner who died.
bool got(const Effect& effect) { return effect.result == 0 || effect.result == EOWNERDEAD; }

class Step {
 public:
  Step(VectorClocks& clocks, const TakenStep& step) : clocks_(clocks), step_(step) {}
  void acquire(unsigned channel = 0) { acquire_from(step_.object, channel); }
  void acquire_from(ObjectId object, unsigned channel) { clocks_.acquire(step_.task, key_of_object(object, channel)); }
  void release(unsigned channel = 0) { release_to(step_.object, channel); }
  void release_to(ObjectId object, unsigned channel) { clocks_.release(step_.task, key_of_object(object, channel)); }
  void replace(unsigned channel = 0) { clocks_.replace(step_.task, key_of_object(step_.object, channel)); }

  void lock() {
    if (!got(step_.effect)) return;
    acquire();
    if (step_.effect.result == EOWNERDEAD) acquire_from(kNoObject, kRobust);
  }
  void unlock() {
    if (step_.effect.result == 0) replace();
  }
  void lock_for_writing() {
    if (!got(step_.effect)) return;
    acquire();
    acquire(kReaders);
  }
  void unlock_rwlock() {
    if (step_.effect.result != 0) return;
    if (step_.before.exclusive)
      replace();
    else
      release(kReaders);
  }
  void both() {
    for (const ObjectId object : {step_.object, step_.object2}) {
      if (object == kNoObject) continue;
      acquire_from(object, 0);
      release_to(object, 0);
    }
  }
  void signal_arrives() {
    acquire(kSignals);
    acquire_from(kNoObject, kSignals);
  }
  // What the compiler makes of a static local looks at its guard by an atomic load of its own.
  void end_once(const World& world) {
    replace();
    clocks_.replace(step_.task, key_of_address(world.object(step_.object).address));
  }
  void arrive_at_barrier() {
    release();
    if (step_.effect.completes) acquire();  // the last one goes on
  }

 private:
  VectorClocks& clocks_;
  const TakenStep& step_;
};

}  // namespace

BeforeStep look_before_step(const World& world, const Operation& operation) {
  return {.exclusive =
              operation.kind == OperationKind::RwUnlock && world.object(operation.object).rwlock.writer != kNoTask};
}

void order_step(VectorClocks& clocks, const World& world, const TakenStep& taken) {
  if (taken.effect.misuse != nullptr) return;
  Step step(clocks, taken);
  switch (taken.kind) {
    // The creator's past is the new task's from the start (VectorClocks::add_task).
    case OperationKind::ThreadStart:
    case OperationKind::ThreadCreate:
    case OperationKind::ThreadCreated:
    // Detaching, and ending the process, wait for nobody: exit handlers may run beside other threads.
    case OperationKind::ThreadDetach:
    case OperationKind::ProcessExit:
    // Of the thread itself, or of other processes, which have memory of their own.
    case OperationKind::CancelPoint:
    case OperationKind::SignalMask:
    case OperationKind::SignalAction:
    case OperationKind::SignalPending:
    case OperationKind::SignalSuspend:
    case OperationKind::TimerExpire:
    case OperationKind::ProcessFork:
    case OperationKind::ProcessStart:
    case OperationKind::ProcessWait:
    // Neither C++ nor POSIX says that a signalled waiter is ordered behind the signal: the mutex does that. A waiter
    // may wake up for no reason.
    case OperationKind::ConditionWake:
    case OperationKind::ConditionRejoin:
    case OperationKind::ConditionSignal:
    case OperationKind::ConditionBroadcast:
    // Destroying something waits for nobody.
    case OperationKind::MutexDestroy:
    case OperationKind::ConditionDestroy:
    case OperationKind::RwDestroy:
    case OperationKind::SemaphoreDestroy:
    case OperationKind::BarrierDestroy:
    case OperationKind::SpinDestroy:
    case OperationKind::Yield:
    case OperationKind::Sleep:
    case OperationKind::None:
    case OperationKind::Count:
      return;

    case OperationKind::ThreadExit:
      step.release();
      return step.release_to(kNoObject, kRobust);
    case OperationKind::ThreadJoin:
    case OperationKind::ThreadTryJoin:
      if (taken.effect.result == 0) step.acquire();
      return;
    case OperationKind::ThreadCancel:
    case OperationKind::SignalSend:
      return step.release(kSignals);
    case OperationKind::CancelArrive:
    case OperationKind::SignalArrive:
    case OperationKind::SignalWait:
    case OperationKind::SignalSuspended:
      return step.signal_arrives();

    case OperationKind::MutexLock:
    case OperationKind::MutexTryLock:
    case OperationKind::SpinLock:
    case OperationKind::SpinTryLock:
    case OperationKind::FutexLock:
    case OperationKind::FutexLocked:
    case OperationKind::FutexTryLock:
    case OperationKind::ReadLock:
    case OperationKind::TryReadLock:
    case OperationKind::SemaphoreWait:
    case OperationKind::SemaphoreTryWait:
      return step.lock();
    case OperationKind::MutexReacquire:  // whatever the wait returns, it has the mutex
      return step.acquire();
    case OperationKind::MutexUnlock:
    case OperationKind::SpinUnlock:
    case OperationKind::FutexUnlock:
      return step.unlock();
    case OperationKind::WriteLock:
    case OperationKind::TryWriteLock:
      return step.lock_for_writing();
    case OperationKind::RwUnlock:
      return step.unlock_rwlock();
    case OperationKind::ConditionWait:  // it has unlocked the mutex, if it waits
      if (!taken.effect.completes) step.release_to(taken.object2, 0);
      return;

    case OperationKind::SemaphorePost:  // a later wait may be for any of the posts before it
      if (taken.effect.result == 0) step.release();
      return;
    case OperationKind::SemaphoreGetValue:  // ThreadSanitizer takes it for that, too
      return step.acquire();
    case OperationKind::BarrierArrive:
      return step.arrive_at_barrier();
    case OperationKind::BarrierLeave:
      return step.acquire();
    case OperationKind::BarrierRejoin:
      if (taken.effect.completes) step.acquire();
      return;

    case OperationKind::OnceBegin:
      return step.acquire();
    case OperationKind::OnceEnd:
    case OperationKind::OnceAbort:
      return step.end_once(world);

    // The kernel's futex: whoever is woken, or finds that the word has changed, comes behind who woke. Programs order
    // more by atomic operations; those of a library that is not instrumented are not seen, these are.
    case OperationKind::FutexWait:
      if (taken.effect.completes) step.acquire();
      return;
    case OperationKind::FutexWoken:
      if (!taken.effect.timed_out) step.acquire();
      return;
    case OperationKind::FutexWake:
      return step.release();

    // Whatever else there is: to order too much is the safe side (no false alarm).
    default:
      return step.both();
  }
}

}  // namespace heddle::model
