// A task of the program: what it is about to do, how it stands, and its places in the lists of tasks.
#pragma once

#include <cstdint>

#include "model/operation.h"

namespace heddle::model {

// How a task's last call went on after an interrupt. The runtime reads it after each call that took the long way.
enum class Interruption : std::uint8_t {
  None,
  Again,      // handlers are to run, then the operation that is still in `pending` is to be published again
  Ended,      // handlers are to run, then the call returns EINTR (or is made again, where SA_RESTART says so)
  Cancelled,  // the task is to unwind
  Stopped,    // its call is complete, and it is to stop behind it (kStop)
};

// A task's own attitude to cancellation.
struct Cancellation {
  enum : std::uint8_t { Asked = 1, Disabled = 2, Asynchronous = 4, Followed = 8 };
};

inline constexpr std::uint64_t signal_bit(int signal) { return std::uint64_t{1} << (signal - 1); }

// For Task::reported: no state, so whatever it has is news.
inline constexpr std::uint8_t kUnreported = 0xff;

struct ReadHistory;
struct SpinPasses;

struct Task {
  Operation pending;
  std::int32_t result = 0;  // of its last completed call
  Variant variant = 0;      // alternative taken at its last step
  TaskId parent = kNoTask;
  ObjectId thread = kNoObject;    // its object of kind Thread
  std::uint16_t robust_held = 0;  // how many robust mutexes it holds
  bool ended = false;
  bool published = false;     // `pending` is valid
  bool yielded = false;       // its last step was a sleep or a timeout: a switch away costs nothing
  bool signalled = false;     // ConditionWake, FutexWoken, FutexLocked, BarrierLeave: has been released by another task
  std::uint8_t state = 0;     // TaskState as of the last evaluation
  std::uint8_t reported = 0;  // TaskState as last taken from Changes; kUnreported
  std::uint8_t yields = 0;    // that counted for fairness since then
  std::uint8_t interrupts = 0;  // bits of Interrupt
  std::uint8_t cancellation = 0;
  Interruption interruption = Interruption::None;
  bool in_changed = false;  // it is in Changes
  std::uint16_t gate = 0;   // where it stands with others (changes.h); 0: nowhere
  TaskId changed_next = kNoTask;
  TaskId pending_next = kNoTask, pending_previous = kNoTask;  // Object::pending_first
  TaskId queue_next = kNoTask, queue_previous = kNoTask;      // the TaskQueue it is in
  TaskId timed_next = kNoTask, timed_previous = kNoTask;      // tasks with a deadline
  ReadHistory* reads = nullptr;  // since it last changed something; made at its first read of memory
  bool spins = false;            // its pending read counts as a yield
  bool comes_round = false;      // so does its pending operation (spin_places.h)
  SpinPasses* passes = nullptr;  // where it came by such places last; made at the first
  bool timed = false;
  bool has_waited = false;  // time has passed since `pending` was published: its call has begun
  bool timer = false;       // has no stack, takes no signals, and nobody waits for its end
  std::uint64_t blocked_signals = 0;
  std::uint64_t arrived_signals = 0;  // for this task, not yet taken
};

}  // namespace heddle::model
