// Who stands at which gate (protocol/records.h): a walk over the changes of an execution turns the entries of gates
// into those of the tasks there.
#pragma once

#include <cstdint>
#include <vector>

#include "protocol/records.h"

namespace heddle {

// What a task's scheduling state became at a decision, and whether the task came to it by yielding. Or what that of all
// tasks became that stand at a gate, or that this one stands there from now on: then only Gates know what it says.
struct StateChange {
  std::uint32_t step;  // the step at whose decision it holds from
  TaskId task;
  std::uint8_t state;       // TaskState bits
  std::uint8_t yields = 0;  // how often the fair scheduler counted it as yielding since the decision before
};

class Gates {
 public:
  void clear() {
    if (any_) *this = Gates();
  }
  // Has there been a gate so far? If not, each entry speaks for itself.
  bool any() const { return any_; }
  // Takes the next entry. Calls visit(StateChange) for each task that it says something of; there the state is just a
  // TaskState.
  template <typename Visit>
  [[gnu::always_inline]] void take(const StateChange& change, Visit visit) {
    if (!any_ && !names_gate(change.task)) [[likely]]
      return visit(change);
    take_with_gates(change, visit);
  }
  // Where the task stands; 0: nowhere.
  std::uint16_t of(TaskId task) const { return task < places_.size() ? places_[task].gate : std::uint16_t{0}; }
  // The gate that was named last.
  std::uint16_t named() const { return named_; }
  void name(std::uint16_t gate);
  void stand(TaskId task, std::uint16_t gate);

 private:
  struct Place {
    std::uint16_t gate = 0;
    TaskId next = kNoTask, previous = kNoTask;  // of those at the gate
  };

  template <typename Visit>
  [[gnu::noinline]] void take_with_gates(const StateChange& change, Visit visit) {
    if (names_gate(change.task)) {
      name(static_cast<std::uint16_t>(change.task & ~Gate::kMark));
      for (TaskId task = first_[named_]; task != kNoTask; task = places_[task].next)
        visit(StateChange{change.step, task, change.state, 0});
      return;
    }
    stand(change.task, (change.state & Gate::kStands) != 0 ? named_ : std::uint16_t{0});
    visit(
        StateChange{change.step, change.task, static_cast<std::uint8_t>(change.state & ~Gate::kStands), change.yields});
  }

  bool any_ = false;
  std::uint16_t named_ = 0;
  std::vector<Place> places_;  // by task
  std::vector<TaskId> first_;  // by gate
};

}  // namespace heddle
