// What a task is about to do, and what a step of it did.
#pragma once

#include <cstdint>

#include "protocol/operations.h"
#include "protocol/records.h"

namespace heddle::model {

// What another task's step can ask of a task: Task::interrupts (asked, and not held off by the task itself) and
// Operation::interruptible (what may end the pending operation).
struct Interrupt {
  enum : std::uint8_t {
    Signal = 1,       // a signal that the task does not block; interruptible: the wait may end with EINTR
    Cancel = 2,       // cancellation, enabled; interruptible: the call is a cancellation point
    AsyncCancel = 4,  // cancellation that any operation follows
    Restart = 8,      // interruptible only: SA_RESTART makes the call again
    Begun = 16,       // interruptible only: no signal comes before the call (its mask came into force with the wait)
  };
};

// An access to the program's memory that is an operation. Only the runtime knows how it is made: it does so when the
// operation takes effect, and says what came of it.
struct AtomicUse;
struct MemoryAccess {
  void (*perform)(MemoryAccess& access) = nullptr;
  AtomicUse* atomic = nullptr;  // for a weak memory (weak_memory.h); null: it sees the newest value
  Variant variant = 0;          // in which way it is to be performed
  std::uint8_t order = 0;       // of an atomic operation: order_mark()
  bool sequential = false;      // StepMarks::Sequential
  bool wrote = false;           // is it a write, for what depends on it?
  bool changed = false;         // is there now another value than before?
  std::int32_t value = 0;       // what is there now, as far as it can be shown
};

// Descriptors that are being closed. Only the runtime knows who stands at a call on one of them, and whether that call
// has looked it up: in how many ways that can be, at this moment.
struct Closing {
  std::uint16_t (*ways)(const Closing& closing) = nullptr;
};

// What a task is about to do.
struct Operation {
  OperationKind kind = OperationKind::None;
  std::uint8_t interruptible = 0;  // bits of Interrupt
  union {
    std::uint8_t signal = 0;  // SignalSend, TimerExpire: its number
    std::uint8_t offset;      // of operations on memory: the upper bits of their marks (StepMarks)
  };
  // TimerExpire: only when its time is over, never early nor because all others wait. If it comes once: also where the
  // next wait that time could end would end later.
  bool patient = false;
  ObjectId object = kNoObject;
  ObjectId object2 = kNoObject;  // the mutex of a condition wait; the condition of a reacquire
  bool one_shot = false;         // TimerExpire: it does not come again. No wait that ends later can end before it.
  bool stopped_behind = false;   // its task was stopped behind it: others have run since
  Nanoseconds deadline = kNoDeadline;  // virtual time at which the wait may end by itself
  // Of futexes: see futex.cpp; of memory: see spinning.h; WriteLock: queued; SignalWait: set; SignalSuspend: mask;
  // Choose: of how many; else 0.
  std::uint64_t argument = 0;
  union {
    std::uint32_t* word = nullptr;  // of futexes: the program's word
    MemoryAccess* access;           // of operations on memory
    const Closing* closing;         // DescriptorControl: what it closes
  };
  // FutexWait, FutexRequeue: what the word must still hold; other futexes: see futex.cpp.
  // ConditionRejoin, BarrierRejoin: the object's round when the wait was interrupted.
  std::uint32_t expected = 0;
  std::int32_t result = 0;  // MutexReacquire: what the condition wait will return (0, ETIMEDOUT, ECANCELED)
  Site site = 0;
};

// What a step did.
struct Effect {
  std::int32_t result = 0;       // what the call returns: 0, an errno value, or a count
  bool completes = true;         // false: the task's pending operation became another; its call goes on
  bool wrote = true;             // the object changed
  bool released = false;         // later operations on the object happen after this one
  bool timed_out = false;        // the wait ended because its time was over
  const char* misuse = nullptr;  // what pthreads does not allow; the world is unchanged then
};

// Operation::argument of an operation that waits for the world outside, which has not come to it yet.
inline constexpr std::uint64_t kNotReady = 1;

}  // namespace heddle::model
