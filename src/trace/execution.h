// An execution as the driver holds it: the decoded records of one plan. Everything later (search, analysis, trace,
// monitors) reads this and nothing else.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "protocol/plan.h"
#include "protocol/records.h"

namespace heddle {

// What a task's scheduling state became at a decision.
struct StateChange {
  std::uint32_t step;  // the step at whose decision it holds from
  TaskId task;
  std::uint8_t state;  // TaskState bits
};

struct ExecutionMessage {
  MessageKind kind = MessageKind::None;
  TaskId task = kNoTask;
  std::uint32_t step = 0;  // how many steps came before it
  std::string text;        // may contain NUL as separator; see MessageKind
};

struct Execution {
  PlanId plan = 0;
  std::vector<StepRecord> steps;
  std::vector<StateChange> changes;   // ascending by step
  std::vector<TaskRecord> tasks;      // index = task id
  std::vector<ObjectRecord> objects;  // ascending by id
  std::vector<ExecutionMessage> messages;
  std::vector<PendingRecord> pending;
  std::vector<std::vector<Site>> stacks;          // per step, innermost first; empty unless asked for
  std::vector<std::vector<Site>> pending_stacks;  // per entry of `pending`
  EndRecord end;
  std::string output;    // what the program printed, as far as captured
  bool damaged = false;  // records made no sense (the program wrote into the region): what is here is not all

  void clear();                                             // keeps the memory
  const ObjectRecord* object(ObjectId id) const;            // null when unknown
  const ExecutionMessage* message(MessageKind kind) const;  // the last one of its kind, or null
};

// Walks the decisions of an execution and keeps the state of every task as it was at each.
class StateCursor {
 public:
  StateCursor() = default;  // restart() gives it an execution
  explicit StateCursor(const Execution& execution) : execution_(&execution) {}
  // Moves to the decision of `step` (not before the current one).
  void advance_to(std::uint32_t step);
  std::uint8_t state(TaskId task) const { return task < states_.size() ? states_[task] : 0; }
  std::uint32_t task_count() const { return static_cast<std::uint32_t>(states_.size()); }
  // The tasks that could be chosen now (eligible, or their wait could end by timeout or spuriously), ascending.
  const std::vector<TaskId>& candidates() const { return candidates_; }
  // Starts over with another execution; keeps the memory.
  void restart(const Execution& execution);

 private:
  void set_state(TaskId task, std::uint8_t state);

  const Execution* execution_ = nullptr;
  std::size_t next_change_ = 0;
  std::vector<std::uint8_t> states_;
  std::vector<TaskId> candidates_;
};

}  // namespace heddle
