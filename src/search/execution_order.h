// The happens-before order of one execution, as partial-order reduction sees it: its steps with their accesses, which
// of them happens before which, and who could go on when. races.h finds the races.
#pragma once

#include <cstdint>
#include <vector>

#include "protocol/dependence.h"
#include "trace/execution.h"

namespace heddle {

// What objects are called here, in place of their numbers, which differ between executions: 5 bits of the kind, 1 that
// tells objects of the heap, and a hash of where they are (ObjectRecord::place). Two objects may have one name: that
// takes more steps for dependent than are, which may cost executions, but loses none.
struct ObjectName {
  static constexpr std::uint32_t kKindShift = 26;
  static constexpr std::uint32_t kMoves = 1u << 25;
  static constexpr std::uint32_t kHash = kMoves - 1;
  // Whatever of this kind moves: where it is can't be told.
  static constexpr std::uint32_t anywhere(ObjectKind kind) {
    return static_cast<std::uint32_t>(kind) << kKindShift | kMoves | kHash;
  }
  static bool same(std::uint32_t one, std::uint32_t other) {
    if (one == other) return true;
    const bool of_one_kind = ((one ^ other) & ~kHash) == 0 && (one & kMoves) != 0;
    return of_one_kind && ((one & kHash) == kHash || (other & kHash) == kHash);
  }
};

// A step as partial-order reduction sees it.
struct Event {
  Choice choice;
  Access access;  // objects by their names
};
inline bool dependent(const Event& one, const Event& other) {
  return one.choice.task == other.choice.task || dependent(one.access, other.access, ObjectName::same);
}

// Filled by read(); others only look at it.
struct ExecutionOrder {
  static constexpr std::uint32_t kNone = 0xffffffff;

  explicit ExecutionOrder(bool timeouts_are_early) : early_timeouts(timeouts_are_early) {}

  // Reads an execution, whose first `kept` steps are those of the one before it.
  void read(const Execution& execution, std::uint32_t kept);
  // Does the first of two steps happen before the second?
  bool ordered(std::uint32_t step, std::uint32_t later) const {
    return clock_of(later)[events[step].choice.task] > step;
  }
  const std::uint32_t* clock_of(std::uint32_t step) const { return clocks.data() + std::size_t{step} * task_count; }
  // TaskState before the step.
  std::uint8_t state_at(TaskId task, std::uint32_t step) const;
  Access named(Access access) const;

  bool early_timeouts;
  const Execution* execution = nullptr;
  std::uint32_t task_count = 0;
  std::vector<Event> events;               // one for each step
  std::vector<Access> accesses;            // by the numbers of this execution
  std::vector<std::uint32_t> names;        // by object number
  std::vector<std::uint32_t> clocks;       // task_count entries for each step: the last step of each task, plus 1
  std::vector<std::uint32_t> previous_of;  // the step of the same task before each; kNone
  std::vector<std::uint32_t> last_of;      // by task: its last step so far
  std::vector<std::uint32_t> signalled;    // by task: the signal that ended its last condition wait; kNone
  std::vector<std::uint32_t> created_by;   // by task: the step behind which it was created; kNone
  std::vector<std::uint32_t> woken_by;     // by step: the signal that a reacquire follows; kNone
  std::vector<std::vector<std::uint32_t>> accesses_to;                  // by object number: the steps, in order
  std::vector<std::vector<std::uint32_t>> writes_to;                    // those that changed it
  std::vector<std::vector<TaskId>> waiting_on;                          // by number of a condition: who is in its queue
  std::vector<std::uint32_t> with_everything, with_outside, creations;  // steps with these accesses
  std::vector<std::uint32_t> fences, sequential;                        // Access::fence, Access::sequential
  std::vector<std::vector<StateChange>> changes_of;                     // by task

 private:
  std::uint32_t go_back(std::uint32_t known);
  void read_steps(std::uint32_t first);
  void name_objects(std::uint32_t first);
  static std::uint32_t name_of(const ObjectRecord& object);
  std::uint32_t name_of(ObjectId object) const;
  void order_steps(std::uint32_t first);
  void order_by_memory_order(std::uint32_t step, const Access& access);
  void find_creations();
  void find_wakers();
  void take_waker(std::uint32_t step);
  std::uint32_t* clock(std::uint32_t step) { return clocks.data() + std::size_t{step} * task_count; }
  void join(std::uint32_t step, std::uint32_t earlier);
};

}  // namespace heddle
