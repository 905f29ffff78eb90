// Sentences on what threads wait for; see waiting.h.
#include "analysis/waiting.h"

#include <fmt/format.h>

namespace heddle {
namespace {

std::string held_by(const Execution& execution, std::size_t index, NameSource& names, const char* verb) {
  const PendingRecord& pending = execution.pending[index];
  if (pending.held_by == kNoTask) return {};
  const std::string place = names.place_of_hold(index);
  const std::string since = place.empty() ? "" : fmt::format(" since {}", place);
  if (pending.held_by == pending.task) return fmt::format(", which it {} itself{}", verb, since);
  return fmt::format(", which {} {}{}", names.task(pending.held_by), verb, since);
}

std::string joining(const Execution& execution, const PendingRecord& pending, NameSource& names) {
  for (const TaskRecord& task : execution.tasks)
    if (task.object == pending.object) return fmt::format("waits for {} to end (join)", names.task(task.task));
  return "waits for a thread to end (join)";
}

std::string waking(std::size_t index, const PendingRecord& pending, NameSource& names) {
  const std::string call = names.call_of_pending(index);
  return call.empty() ? fmt::format("waits to be woken on {}", names.object(pending.object))
                      : fmt::format("waits in {} to be woken", call);
}

}  // namespace

std::string PlainNames::task(TaskId task) { return task == 0 ? "main" : fmt::format("thread {}", task); }

std::string PlainNames::object(ObjectId id) {
  const ObjectRecord* object = execution_.object(id);
  if (object == nullptr) return fmt::format("object {}", id);
  return fmt::format("{} {}", name(object->object_kind), object->sequence + 1);
}

const PendingRecord* pending_of(const Execution& execution, TaskId task) {
  for (const PendingRecord& pending : execution.pending)
    if (pending.task == task) return &pending;
  return nullptr;
}

bool is_blocked(const PendingRecord& pending) {
  return pending.operation != OperationKind::None && (pending.state & (TaskState::Enabled | TaskState::Ended)) == 0;
}

std::optional<std::size_t> telling_blocked(const Execution& execution) {
  std::optional<std::size_t> joining;
  for (std::size_t i = execution.pending.size(); i-- > 0;) {
    if (is_blocked(execution.pending[i]) && execution.pending[i].operation == OperationKind::ThreadJoin) joining = i;
  }
  for (std::size_t i = 0; i < execution.pending.size(); ++i)
    if (is_blocked(execution.pending[i]) && execution.pending[i].operation != OperationKind::ThreadJoin) return i;
  return joining;
}

std::string waiting_for(const Execution& execution, std::size_t index, NameSource& names) {
  const PendingRecord& pending = execution.pending[index];
  const auto object = [&] { return names.object(pending.object); };
  if (pending.operation == OperationKind::ThreadStart) return "had not started yet";
  if (pending.operation == OperationKind::None) return "was running";
  if (!is_blocked(pending)) return fmt::format("was about to go on ({})", name(pending.operation));
  switch (pending.operation) {
    case OperationKind::ThreadJoin:
      return joining(execution, pending, names);
    case OperationKind::MutexLock:
    case OperationKind::SpinLock:
      return fmt::format("waits for {}{}", object(), held_by(execution, index, names, "holds"));
    case OperationKind::MutexReacquire:
      return fmt::format("has been woken and waits for {}{}", object(), held_by(execution, index, names, "holds"));
    case OperationKind::ConditionWait:
    case OperationKind::ConditionWake:
      return fmt::format("waits for a signal on {} (condition wait)", object());
    case OperationKind::ReadLock:
      return fmt::format("waits to read-lock {}{}", object(), held_by(execution, index, names, "holds"));
    case OperationKind::WriteLock:
      return fmt::format("waits to write-lock {}{}", object(), held_by(execution, index, names, "holds"));
    case OperationKind::SemaphoreWait:
      return fmt::format("waits for a post on {} (its value is 0)", object());
    case OperationKind::BarrierArrive:
    case OperationKind::BarrierLeave:
      return fmt::format("waits at {} for more threads to arrive", object());
    case OperationKind::OnceBegin:
      return fmt::format("waits for {} to be initialized{}", object(), held_by(execution, index, names, "initializes"));
    case OperationKind::FutexWait:
    case OperationKind::FutexWoken:
      return waking(index, pending, names);
    default:
      return fmt::format("waits ({})", name(pending.operation));
  }
}

std::string deadlock_sentence(const Execution& execution, NameSource& names) {
  std::string result;
  for (std::size_t i = 0; i < execution.pending.size(); ++i) {
    if (!is_blocked(execution.pending[i])) continue;
    const std::string place = names.place_of_pending(i);
    result += fmt::format("{}{} {}{}", result.empty() ? "" : ";\n", names.task(execution.pending[i].task),
                          waiting_for(execution, i, names), place.empty() ? "" : fmt::format(", at {}", place));
  }
  return result.empty() ? "no thread can go on" : result;
}

}  // namespace heddle
