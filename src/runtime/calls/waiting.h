// Waiting for something that only the kernel knows. A task publishes its operation. After each call that may let it go
// on, the runtime asks the kernel, without blocking, whether it can. The task makes the call itself once its step is
// taken.
//
// What the world outside does (other processes, real timers) is asked only when no thread of the program can go on, or
// all that can are yielding: so it does not decide which choices there are.
#pragma once

#include "model/world.h"
#include "runtime/state/program_call.h"

namespace heddle::runtime {

// What a call gives that has come too late: perform_system_call() makes it once more, with all that it looks up.
inline constexpr long kRestarts = -(1L << 16);

// The open files that a call has found, as far as the program has closed their numbers since.
class HeldFiles {
 public:
  HeldFiles() = default;
  ~HeldFiles() { let_go(); }
  HeldFiles(const HeldFiles&) = delete;
  HeldFiles& operator=(const HeldFiles&) = delete;

  // The number under which the file is open now that the call has found by `number`.
  long of(long number) const;
  bool any() const { return count_ != 0; }
  bool has(long number) const { return of(number) != number; }
  bool hold(long number);  // false: there is no room
  void let_go();

  bool has_begun = false;  // the call is inside the kernel for certain

 private:
  static constexpr unsigned kMax = 8;
  struct {
    int number, held;
  } files_[kMax];
  unsigned count_ = 0;
};

struct Waiting {
  bool (*ready)(const Waiting& waiting) = nullptr;  // asks the kernel, without blocking
  bool outside = false;                             // the world outside may end it
  bool foreign = false;                             // nobody else does: looked at only when nobody can go on
  bool by_relatives = false;                        // and it is a process that was forked, or that we were forked from
  bool by_channels = false;                         // it is a pipe or a pair: the program has made both ends
  bool never_blocks = false;                        // the call returns at once in any case
  bool comes_late = false;                          // what it was to wait for has been closed before it came there
  int given_up = -1;                                // to be closed if the thread is cancelled meanwhile
  int number = -1;                                  // the descriptor that the program has named
  bool (*names)(const Waiting& waiting, long number) = nullptr;  // if they may be several: is this one of them?
  HeldFiles* held = nullptr;                                     // where the call goes on in parts; else its own
  int descriptor = -1;  // what poll() tells of; -1: it is asked anew every millisecond
  short events = 0;
  std::uint32_t refused_at = 0;  // how many changes there were when the kernel refused though it seemed ready
  const void* data = nullptr;
};

// The wait of a task that stands at a call on a descriptor; null: it does not.
Waiting* waiting_of(TaskId id);

struct WaitingOperation {
  OperationKind kind = OperationKind::None;
  ObjectId object = kNoObject;
  Site site = 0;
  Nanoseconds deadline = kNoDeadline;
  std::uint8_t interruptible = 0;
};

// A step of `operation` that is taken once `waiting` is ready: 0, ETIMEDOUT or EINTR.
int wait_until_ready(Waiting& waiting, const WaitingOperation& operation);
// A step that can always be taken.
int take_step_on(const WaitingOperation& operation, const model::Closing* closing = nullptr);

// Repeats: wait, then attempt(argument), which makes the call in its non-blocking form; until it gives something else
// than -EAGAIN, or the deadline (`on_timeout` is returned), or the call comes too late (kRestarts).
long wait_and_attempt(Waiting& waiting, const WaitingOperation& operation, long on_timeout, long (*attempt)(void*),
                      void* argument);
template <typename Attempt>
long wait_and_attempt(Waiting& waiting, const WaitingOperation& operation, long on_timeout, Attempt attempt) {
  return wait_and_attempt(
      waiting, operation, on_timeout, [](void* argument) { return (*static_cast<Attempt*>(argument))(); }, &attempt);
}

// The running task is cancelled in its wait.
void give_up_wait();

// A call was made that may let others go on, or hold them up.
void after_call();
// And one that concerns processes which were forked, or that which we were forked from.
void tell_relatives();

}  // namespace heddle::runtime
