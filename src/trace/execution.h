// An execution as the driver holds it: the decoded records of one plan. Search, analysis, traces and monitors read this
// and nothing else.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <string>
#include <vector>

#include "protocol/plan.h"
#include "protocol/records.h"
#include "trace/gates.h"
#include "trace/record_list.h"

namespace heddle {

// For Execution::states_seen: all states that have one of these bits, and none of those.
constexpr std::uint64_t states_with(unsigned bits, unsigned none_of = 0) {
  std::uint64_t states = 0;
  for (unsigned state = 0; state < 64; ++state)
    if ((state & bits) != 0 && (state & none_of) == 0) states |= std::uint64_t{1} << state;
  return states;
}
constexpr std::uint64_t bit_of_state(std::uint8_t state) { return std::uint64_t{1} << (state % 64); }
// For Execution::step_flags_seen.
constexpr unsigned flags_to_see(const StepRecord& step) {
  return step.flags | (step.operation == OperationKind::Yield ? unsigned{StepFlags::Yielded} : 0u);
}

struct ExecutionMessage {
  MessageKind kind = MessageKind::None;
  TaskId task = kNoTask;
  std::uint32_t step = 0;  // how many steps came before it
  std::string text;        // may contain NUL as separator; see MessageKind
};

// Two accesses that race, with their call stacks, innermost first (empty unless asked for).
struct ExecutionRace {
  RaceRecord earlier, later;
  std::vector<Site> earlier_stack, later_stack;
};

// The state of all tasks as it was after every few hundred changes: so that a walk may begin late in a long execution
// without having read what came before.
class StateLandmarks {
 public:
  struct Landmark {
    std::uint32_t changes = 0;  // the first so many are in it
    std::uint32_t step = 0;     // of the last of them
    std::uint32_t tasks = 0;
    std::size_t first_state = 0;
    bool any_gates = false;
    std::uint16_t named_gate = 0;  // the last one
  };
  // How many changes there must be for the next one.
  std::size_t due() const { return due_; }
  void extend(const RecordList<StateChange>& changes);
  // Forgets those that have more than the first so many changes in them.
  void truncate(std::size_t changes);
  // The last one that holds nothing later than the decision of `step`; null when there is none.
  const Landmark* before(std::uint32_t step) const;
  const std::uint8_t* states(const Landmark& landmark) const { return states_.data() + landmark.first_state; }
  // Puts everybody where they stood then. `gates`: nobody stands anywhere so far.
  void restore(const Landmark& landmark, Gates& gates) const;

 private:
  static constexpr std::size_t kInterval = 256;
  std::vector<Landmark> landmarks_;
  std::vector<std::uint8_t> states_;
  std::vector<std::uint16_t> gates_;  // where they stand; of landmarks without gates there may be none
  std::size_t due_ = kInterval;
};

// Others may go on from there; see records.h.
struct BookmarkMade {
  std::uint64_t number = 0;
  std::uint32_t step = 0;  // at the decision of this one
};

struct Execution {
  PlanId plan = 0;
  // The first so many entries are the same as in the execution before it of the same target.
  PlanId kept_of = 0;  // that execution's plan
  std::uint32_t kept_steps = 0;
  std::uint32_t kept_changes = 0;
  std::uint32_t resumed_at = 0;  // so many steps were not run: it went on from a checkpoint there
  std::uint64_t bookmark = 0;    // not 0: from this bookmark. No two of a run of heddle have the same number.
  std::vector<BookmarkMade> bookmarks_made;
  RecordList<StepRecord> steps;
  RecordList<StateChange> changes;  // ascending by step; each_change() says what they mean
  // Bit s: some task's state was s here, or may have been, in an execution of the same process before it.
  std::uint64_t states_seen = ~std::uint64_t{0};
  bool gates_seen = true;  // the same of gates
  // The same of StepFlags; where there was a step of an operation that yields, with Yielded.
  std::uint8_t step_flags_seen = 0xff;
  std::vector<TaskRecord> tasks;      // index = task id
  std::vector<ObjectRecord> objects;  // ascending by id
  std::vector<ExecutionMessage> messages;
  std::vector<ExecutionRace> races;
  std::vector<PendingRecord> pending;
  std::vector<std::vector<Site>> stacks;          // per step, innermost first; empty unless asked for
  std::vector<std::vector<Site>> pending_stacks;  // per entry of `pending`
  StateLandmarks landmarks;                       // of `changes`; may be empty
  EndRecord end;
  std::string output;    // what the program printed, as far as captured
  bool damaged = false;  // records made no sense (the program wrote into the region): what is here is not all

  void clear();                                             // keeps the memory
  void clear_own();                                         // what no execution shares with the one before it
  const ObjectRecord* object(ObjectId id) const;            // null when unknown
  const ExecutionMessage* message(MessageKind kind) const;  // the last one of its kind, or null
};

// Calls visit(StateChange) for what each task's state becomes, from the decision of `step` on.
template <typename Visit>
void each_change(const Execution& execution, std::uint32_t step, Visit visit) {
  const auto& changes = execution.changes;
  const auto is_before = [](const StateChange& change, std::uint32_t other) { return change.step < other; };
  const auto first = std::lower_bound(changes.begin(), changes.end(), step, is_before);
  Gates gates;
  if (execution.gates_seen)
    for (auto change = changes.begin(); change != first; ++change) gates.take(*change, [](const StateChange&) {});
  for (auto change = first; change != changes.end(); ++change) gates.take(*change, visit);
}

// A timer is a task without a function, which never starts.
bool is_timer(const Execution& execution, TaskId task);

// Walks the decisions of an execution and keeps the state of every task as it was at each.
class StateCursor {
 public:
  StateCursor() = default;  // restart() gives it an execution
  explicit StateCursor(const Execution& execution) { restart(execution); }
  // Moves to the decision of `step` (not before the current one).
  void advance_to(std::uint32_t step) {
    for (; next_ != end_ && next_->step <= step; ++next_)
      gates_.take(*next_, [this](const StateChange& change) { set_state(change.task, change.state); });
  }
  std::uint8_t state(TaskId task) const { return task < count_ ? states_[task] : 0; }
  std::uint32_t task_count() const { return count_; }
  // Could a task be chosen now: is it eligible, or could its wait end by timeout or spuriously?
  bool could_choose(TaskId task) const { return (state(task) & kChoosable) != 0; }
  // Could another one than this?
  bool could_choose_another(TaskId task) const {
    return task < 64 ? (first_ & ~(std::uint64_t{1} << task)) != 0 || more_ != 0
                     : first_ != 0 || more_ != (could_choose(task) ? 1u : 0u);
  }
  // Calls visit(task) for all that could be chosen, the highest first.
  template <typename Visit>
  void each_candidate(Visit visit) const {
    for (std::uint32_t task = more_ != 0 ? count_ : 0; task > 64; --task)
      if ((states_[task - 1] & kChoosable) != 0) visit(static_cast<TaskId>(task - 1));
    for (std::uint64_t rest = first_; rest != 0;) {
      const int task = 63 - std::countl_zero(rest);
      rest &= ~(std::uint64_t{1} << task);
      visit(static_cast<TaskId>(task));
    }
  }
  // Starts over with another execution, before its first decision; the first advance_to() will not be to one before
  // `step`. Keeps the memory.
  void restart(const Execution& execution, std::uint32_t step = 0);

 private:
  static constexpr std::uint8_t kChoosable = TaskState::Eligible | TaskState::Timeout | TaskState::Spurious;

  void set_state(TaskId task, std::uint8_t state) {
    if (task >= count_) [[unlikely]]
      extend(task + 1u);
    const bool is = (state & kChoosable) != 0;
    if (task < 64) {
      first_ = (first_ & ~(std::uint64_t{1} << task)) | (std::uint64_t{is} << task);
    } else {
      more_ += (is ? 1u : 0u) - ((states_[task] & kChoosable) != 0 ? 1u : 0u);
    }
    states_[task] = state;
  }

  void extend(std::uint32_t count) {
    if (count > states_.size()) states_.resize(2 * std::size_t{count});
    while (count_ < count) states_[count_++] = 0;
  }

  const StateChange* next_ = nullptr;
  const StateChange* end_ = nullptr;
  Gates gates_;
  std::vector<std::uint8_t> states_;  // only the first `count_` count; the others keep their memory
  std::uint32_t count_ = 0;
  std::uint64_t first_ = 0;  // those of the first 64 tasks that could be chosen
  std::uint32_t more_ = 0;   // how many of the others could
};

}  // namespace heddle
