// What threads wait for at the end of an execution, in words. The names come from a NameSource, so that the same
// sentences serve the search (which has no symbols at hand) and the reports (which do).
#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "analysis/prose.h"
#include "analysis/value_type.h"
#include "trace/execution.h"

namespace heddle {

class NameSource {
 public:
  virtual ~NameSource() = default;
  virtual Span task(TaskId task) = 0;        // "main", "worker", "thread 2"
  virtual Span object(ObjectId object) = 0;  // "queue.lock", "mutex 2"; of a thread's object the thread
  // The same for a part of a piece of memory: the variable that begins `offset` bytes after the begin of the piece.
  virtual Span part(ObjectId object, std::uint8_t offset) = 0;
  // Of what kind the values are that a step finds in memory, or leaves there.
  virtual const ValueType& type_of(const StepRecord&) const;
  // What an operation accesses; empty when it has no object.
  Span accessed(const StepRecord& step) { return accessed(step.operation, step.object, offset_of(step)); }
  Span accessed(const PendingRecord& pending) {
    return accessed(pending.operation, pending.object, offset_of(pending));
  }
  // Where the task of Execution::pending[index] stands, and what it called there; empty when unknown.
  virtual Prose place_of_pending(std::size_t index) = 0;
  virtual std::string call_of_pending(std::size_t index) = 0;
  // What the user's code called at Execution::steps[index]; empty when unknown.
  virtual std::string call_of_step(std::size_t index) = 0;
  // Where the object that it waits for was taken; empty when unknown.
  virtual Prose place_of_hold(std::size_t index) = 0;

 private:
  Span accessed(OperationKind operation, ObjectId object, std::uint8_t offset);
};

// Names that need nothing but the execution: "thread 1", "mutex 2".
class PlainNames : public NameSource {
 public:
  explicit PlainNames(const Execution& execution) : execution_(execution) {}
  Span task(TaskId task) override;
  Span object(ObjectId object) override;
  Span part(ObjectId id, std::uint8_t) override { return object(id); }
  Prose place_of_pending(std::size_t) override { return {}; }
  std::string call_of_pending(std::size_t) override { return {}; }
  std::string call_of_step(std::size_t) override { return {}; }
  Prose place_of_hold(std::size_t) override { return {}; }

 private:
  const Execution& execution_;
};

// "waits for the mutex a, which worker holds since bank.c:12"; "is about to signal" for a task that could go on.
Prose waiting_for(const Execution& execution, std::size_t pending_index, NameSource& names);

// All blocked tasks in one sentence, a line each.
Prose deadlock_sentence(const Execution& execution, NameSource& names);

// "ticker only ticks", of a deadlock beside services; empty: there are none.
Prose services_sentence(const Execution& execution, NameSource& names);

// The threads that only tick at a deadlock.
std::set<TaskId> services_of(const Execution& execution);

// "main, worker and thread 3".
Prose listed(const std::vector<TaskId>& tasks, NameSource& names);

// Who keeps the object of a pending operation from being taken; a reader-writer lock may have several holders.
std::vector<TaskId> holders(const Execution& execution, const PendingRecord& pending);

// The pending operation of a task, or null.
const PendingRecord* pending_of(const Execution& execution, TaskId task);
// The tasks that can't go on at the end: pending, not enabled.
bool is_blocked(const PendingRecord& pending);
// At a deadlock: does it go round by itself, and let nobody go on?
bool is_service(const PendingRecord& pending);
// The entries of Execution::pending whose tasks can't go on whatever becomes of the others: those of a cycle, and those
// that wait for no task. Who waits, be it over several, for one of these only stands by.
std::vector<std::size_t> core_of_deadlock(const Execution& execution);
// A deadlock beside services that nobody need have declared: they have been seen to let nobody go on for so long
// (kSeenServiceSteps) that it counts as endless. Those that wait for each other in a ring are in a deadlock whatever
// the services do.
bool is_likely_only(const Execution& execution);
// The entry of Execution::pending at which a deadlock shows best: of a blocked task that does not merely join another.
std::optional<std::size_t> telling_blocked(const Execution& execution);

}  // namespace heddle
