// See ordering.h. The functions of each kind of object say what its operations order, and why.
#include "model/ordering.h"

#include <cerrno>
#include <initializer_list>

namespace heddle::model {
namespace {

// Channels of an object besides 0.
constexpr unsigned kReaders = 1;  // of a reader-writer lock: what readers have released, for writers only
constexpr unsigned kSignals = 2;  // of a thread: signals and cancellation; of object 0: signals for the process
constexpr unsigned kRobust = 3;   // of object 0: robust mutexes that ended threads have left
// Of object 0: processes that the program has started. What they do is not recorded: whatever is heard of them comes
// behind whatever any of them was started with. (To order too much is the safe side.)
constexpr unsigned kProcesses = 5;

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
    hear_of_processes();
  }
  void hear_of_processes() { acquire_from(kNoObject, kProcesses); }
  // What the compiler makes of a static local looks at its guard by an atomic load of its own.
  void end_once(const World& world) {
    replace();
    clocks_.replace(step_.task, key_of_address(world.object(step_.object).address));
  }

 private:
  VectorClocks& clocks_;
  const TakenStep& step_;
};

void order_process(Step& step, OperationKind kind) {
  kind == OperationKind::ProcessWait ? step.hear_of_processes() : step.release_to(kNoObject, kProcesses);
}

// The creator's past is the new task's from the start (VectorClocks::add_task). Detaching waits for nobody.
void order_thread(Step& step, OperationKind kind, const Effect& effect) {
  switch (kind) {
    case OperationKind::ThreadExit:
      step.release();
      return step.release_to(kNoObject, kRobust);
    case OperationKind::ThreadJoin:
    case OperationKind::ThreadTryJoin:
      return effect.result == 0 ? step.acquire() : void();
    case OperationKind::ThreadCancel:
    case OperationKind::SignalSend:
      return step.release(kSignals);
    case OperationKind::CancelArrive:
    case OperationKind::SignalArrive:
    case OperationKind::SignalWait:
    case OperationKind::SignalSuspended:
      return step.signal_arrives();
    default:
      return;
  }
}

// Mutexes and spin locks. Destroying something waits for nobody, here and everywhere.
void order_lock(Step& step, OperationKind kind) {
  switch (kind) {
    case OperationKind::MutexLock:
    case OperationKind::MutexTryLock:
    case OperationKind::SpinLock:
    case OperationKind::SpinTryLock:
      return step.lock();
    case OperationKind::MutexReacquire:  // whatever the wait returns, it has the mutex
      return step.acquire();
    case OperationKind::MutexUnlock:
    case OperationKind::SpinUnlock:
      return step.unlock();
    default:
      return;
  }
}

// Neither C++ nor POSIX says that a signalled waiter is ordered after the signal: the mutex does that. A waiter may
// wake up for no reason. A wait that waits has unlocked the mutex.
void order_condition(Step& step, const TakenStep& taken) {
  if (taken.kind == OperationKind::ConditionWait && !taken.effect.completes) step.release_to(taken.object2, 0);
}

void order_rwlock(Step& step, OperationKind kind) {
  switch (kind) {
    case OperationKind::ReadLock:
    case OperationKind::TryReadLock:
      return step.lock();
    case OperationKind::WriteLock:
    case OperationKind::TryWriteLock:
      return step.lock_for_writing();
    case OperationKind::RwUnlock:
      return step.unlock_rwlock();
    default:
      return;
  }
}

// A wait may be for any of the posts before it. Looking at the value orders, too: ThreadSanitizer has it so.
void order_semaphore(Step& step, OperationKind kind, const Effect& effect) {
  switch (kind) {
    case OperationKind::SemaphoreWait:
    case OperationKind::SemaphoreTryWait:
      return step.lock();
    case OperationKind::SemaphorePost:
      return effect.result == 0 ? step.release() : void();
    case OperationKind::SemaphoreDestroy:
      return;
    default:
      return step.acquire();
  }
}

void order_barrier(Step& step, OperationKind kind, const Effect& effect) {
  if (kind == OperationKind::BarrierArrive) step.release();
  // Those that have to wait go on when they leave, the last one to arrive at once.
  if (kind != OperationKind::BarrierDestroy && effect.completes) step.acquire();
}

// The kernel's futex: whoever is woken, or finds that the word has changed, comes behind who woke. Programs order more
// by atomic operations; those of a library that is not instrumented are not seen, these are.
void order_futex(Step& step, OperationKind kind, const Effect& effect) {
  switch (kind) {
    case OperationKind::FutexWait:
      return effect.completes ? step.acquire() : void();
    case OperationKind::FutexWoken:
      return effect.timed_out ? void() : step.acquire();
    case OperationKind::FutexWake:
      return step.release();
    case OperationKind::FutexLock:
    case OperationKind::FutexLocked:
    case OperationKind::FutexTryLock:
      return step.lock();
    case OperationKind::FutexUnlock:
      return step.unlock();
    default:
      return step.both();
  }
}

}  // namespace

bool uses_memory_of_object(OperationKind kind) {
  switch (kind) {
    case OperationKind::MutexLock:
    case OperationKind::MutexTryLock:
    case OperationKind::MutexUnlock:
    case OperationKind::MutexReacquire:
    case OperationKind::ConditionWait:
    case OperationKind::ConditionSignal:
    case OperationKind::ConditionBroadcast:
    case OperationKind::ReadLock:
    case OperationKind::TryReadLock:
    case OperationKind::WriteLock:
    case OperationKind::TryWriteLock:
    case OperationKind::RwUnlock:
    case OperationKind::SemaphoreWait:
    case OperationKind::SemaphoreTryWait:
    case OperationKind::SemaphorePost:
    case OperationKind::SemaphoreGetValue:
    case OperationKind::BarrierArrive:
    case OperationKind::SpinLock:
    case OperationKind::SpinTryLock:
    case OperationKind::SpinUnlock:
      return true;
    default:
      return false;
  }
}

BeforeStep observe_before_step(const World& world, const Operation& operation) {
  return {.exclusive =
              operation.kind == OperationKind::RwUnlock && world.object(operation.object).rwlock.writer != kNoTask};
}

void order_step(VectorClocks& clocks, const World& world, const TakenStep& taken) {
  if (taken.effect.misuse != nullptr) return;
  Step step(clocks, taken);
  switch (object_kind(taken.kind)) {
    case ObjectKind::Memory:
      return;  // see orders_others()
    case ObjectKind::None:
      return order_process(step, taken.kind);
    case ObjectKind::Thread:
      return order_thread(step, taken.kind, taken.effect);
    case ObjectKind::Mutex:
    case ObjectKind::SpinLock:
      return order_lock(step, taken.kind);
    case ObjectKind::Condition:
      return order_condition(step, taken);
    case ObjectKind::RwLock:
      return order_rwlock(step, taken.kind);
    case ObjectKind::Semaphore:
      return order_semaphore(step, taken.kind, taken.effect);
    case ObjectKind::Barrier:
      return order_barrier(step, taken.kind, taken.effect);
    case ObjectKind::Once:
      return taken.kind == OperationKind::OnceBegin ? step.acquire() : step.end_once(world);
    case ObjectKind::Futex:
      return order_futex(step, taken.kind, taken.effect);
    default:  // descriptors and whatever else: to order too much is the safe side (no false alarm)
      step.hear_of_processes();
      return step.both();
  }
}

void order_signals_taken(VectorClocks& clocks, const World& world, TaskId task) {
  TakenStep taken;
  taken.task = task;
  taken.object = world.task(task).thread;
  Step(clocks, taken).signal_arrives();
}

}  // namespace heddle::model
