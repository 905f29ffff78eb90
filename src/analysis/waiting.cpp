// Sentences on what threads wait for; see waiting.h.
#include "analysis/waiting.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "analysis/interpreter_lock.h"
#include "protocol/assert.h"
#include "protocol/descriptors.h"
#include "protocol/scripts.h"
#include "protocol/services.h"

namespace heddle {
namespace {

constexpr std::size_t kMaxTold = 20;  // blocked threads in one sentence

bool takes_rwlock(const StepRecord& step, bool is_free) {
  if (step.result != 0 || step.variant == kTimeout || step.variant == kSpurious) return false;
  switch (step.operation) {
    case OperationKind::ReadLock:
    case OperationKind::TryReadLock:
    case OperationKind::TryWriteLock:
      return true;
    case OperationKind::WriteLock:  // taken while the lock is not free, this step only queues
      return is_free;
    default:
      return false;
  }
}

// The model names one reader of many, so the steps are followed.
std::vector<TaskId> rwlock_holders(const Execution& execution, ObjectId lock) {
  std::vector<TaskId> inside;
  for (const StepRecord& step : execution.steps) {
    if (step.object != lock) continue;
    if (takes_rwlock(step, inside.empty())) inside.push_back(step.task);
    if (step.operation != OperationKind::RwUnlock || step.result != 0) continue;
    const auto own = std::find(inside.begin(), inside.end(), step.task);
    if (own != inside.end()) inside.erase(own);
  }
  std::sort(inside.begin(), inside.end());
  inside.erase(std::unique(inside.begin(), inside.end()), inside.end());
  return inside;
}

Prose held_by(const Execution& execution, std::size_t index, NameSource& names, const char* verb) {
  const PendingRecord& pending = execution.pending[index];
  const std::vector<TaskId> all = holders(execution, pending);
  if (all.empty()) return {};
  if (all.size() > 1) return prose(", which {} hold", listed(all, names));
  const Prose place = all[0] == pending.held_by ? names.place_of_hold(index) : Prose();
  const Prose since = place.empty() ? Prose() : prose(" since {}", place);
  if (all[0] == pending.task) return prose(", which it {} itself{}", verb, since);
  return prose(", which {} {}{}", names.task(all[0]), verb, since);
}

Prose joining(const Execution& execution, const PendingRecord& pending, NameSource& names) {
  for (const TaskRecord& task : execution.tasks)
    if (task.object == pending.object) return prose("waits for {} to end (join)", names.task(task.task));
  return "waits for a thread to end (join)";
}

bool is_epoll_set(const Execution& execution, ObjectId object) {
  const ObjectRecord* record = execution.object(object);
  return record != nullptr && descriptor_kind(record->address) == DescriptorKind::EpollSet;
}

Prose waking(std::size_t index, const PendingRecord& pending, NameSource& names) {
  const std::string call = names.call_of_pending(index);
  return call.empty() ? prose("waits to be woken on {}", names.object(pending.object))
                      : prose("waits in {} to be woken", call_span(call));
}

}  // namespace

const ValueType& NameSource::type_of(const StepRecord&) const {
  static const ValueType kUnknown;
  return kUnknown;
}

Span NameSource::accessed(OperationKind operation, ObjectId object, std::uint8_t offset) {
  if (object == kNoObject) return {};
  return object_kind(operation) == ObjectKind::Memory ? part(object, offset) : this->object(object);
}

Span PlainNames::task(TaskId task) {
  return {SpanKind::Thread, task == 0 ? "main" : fmt::format("thread {}", task), task};
}

Span PlainNames::object(ObjectId id) {
  const ObjectRecord* object = execution_.object(id);
  if (object == nullptr) return {SpanKind::Object, fmt::format("object {}", id), id};
  return {SpanKind::Object, fmt::format("{} {}", name(object->object_kind), object->sequence + 1), id};
}

Prose listed(const std::vector<TaskId>& tasks, NameSource& names) {
  Prose result;
  for (std::size_t i = 0; i < tasks.size(); ++i)
    result += Prose(i == 0 ? "" : i + 1 == tasks.size() ? " and " : ", ") + names.task(tasks[i]);
  return result;
}

std::vector<TaskId> holders(const Execution& execution, const PendingRecord& pending) {
  // The object of a wait for a signal is the thread that waits: nobody has it.
  if (object_kind(pending.operation) == ObjectKind::Thread && pending.held_by == pending.task &&
      pending.operation != OperationKind::ThreadJoin)
    return {};
  if (object_kind(pending.operation) == ObjectKind::RwLock) {
    std::vector<TaskId> inside = rwlock_holders(execution, pending.object);
    if (!inside.empty()) return inside;
  }
  return pending.held_by == kNoTask ? std::vector<TaskId>() : std::vector<TaskId>{pending.held_by};
}

const PendingRecord* pending_of(const Execution& execution, TaskId task) {
  for (const PendingRecord& pending : execution.pending)
    if (pending.task == task) return &pending;
  return nullptr;
}

bool is_service(const PendingRecord& pending) { return (pending.state & kServiceState) != 0; }

bool is_blocked(const PendingRecord& pending) {
  if (pending.operation == OperationKind::TimerExpire) return false;
  return pending.operation != OperationKind::None &&
         (pending.state & (TaskState::Enabled | TaskState::Ended | kServiceState)) == 0;
}

namespace {

struct Waiters {
  std::vector<std::size_t> blocked;  // entries of Execution::pending
  // By places in `blocked`: does the first one wait for the second one, be it over others? Empty: there are too many.
  std::vector<std::vector<bool>> waits_for;
};

Waiters waiters(const Execution& execution) {
  constexpr std::size_t kMax = 256;  // the work grows with the square
  std::vector<std::size_t> blocked;
  std::map<TaskId, std::size_t> place_of;  // in `blocked`
  for (std::size_t i = 0; i < execution.pending.size(); ++i) {
    if (!is_blocked(execution.pending[i])) continue;
    place_of[execution.pending[i].task] = blocked.size();
    blocked.push_back(i);
  }
  if (blocked.size() > kMax) return {blocked, {}};
  std::vector<std::vector<bool>> waits_for(blocked.size(), std::vector<bool>(blocked.size(), false));
  for (std::size_t from = 0; from < blocked.size(); ++from)
    for (const TaskId holder : holders(execution, execution.pending[blocked[from]]))
      if (const auto to = place_of.find(holder); to != place_of.end()) waits_for[from][to->second] = true;
  for (std::size_t over = 0; over < blocked.size(); ++over)
    for (std::size_t from = 0; from < blocked.size(); ++from)
      for (std::size_t to = 0; waits_for[from][over] && to < blocked.size(); ++to)
        if (waits_for[over][to]) waits_for[from][to] = true;
  return {blocked, waits_for};
}

}  // namespace

std::vector<std::size_t> core_of_deadlock(const Execution& execution) {
  HEDDLE_ASSERT(execution.end.end == EndKind::Deadlock, "only a deadlock has a core");
  const auto [blocked, waits_for] = waiters(execution);
  if (waits_for.empty()) return blocked;
  std::vector<std::size_t> core;
  for (std::size_t one = 0; one < blocked.size(); ++one) {
    bool stands_by = false;
    for (std::size_t other = 0; other < blocked.size(); ++other)
      stands_by = stands_by || (waits_for[one][other] && !waits_for[other][one]);
    if (!stands_by) core.push_back(blocked[one]);
  }
  return core;
}

bool is_likely_only(const Execution& execution) {
  const EndRecord& end = execution.end;
  if (end.end != EndKind::Deadlock || end.loop_from == 0) return false;
  if (execution.steps.size() < std::size_t{end.loop_from} + kSeenServiceSteps) return false;
  const auto [blocked, waits_for] = waiters(execution);
  for (std::size_t i = 0; i < waits_for.size(); ++i)
    if (waits_for[i][i]) return false;
  return true;
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

Prose waiting_for(const Execution& execution, std::size_t index, NameSource& names) {
  const PendingRecord& pending = execution.pending[index];
  const auto object = [&] { return names.accessed(pending); };
  if (pending.operation == OperationKind::ThreadStart) return "had not started yet";
  if (pending.operation == OperationKind::None) return "was running";
  if (pending.operation == OperationKind::TimerExpire) return "is set and has not expired";
  if (is_service(pending)) return "only ticks";
  if (!is_blocked(pending) && is_in_script(pending.site)) return "was about to go on";
  if (!is_blocked(pending)) return prose("was about to go on ({})", name(pending.operation));
  switch (pending.operation) {
    case OperationKind::ThreadJoin:
      return joining(execution, pending, names);
    case OperationKind::MutexLock:
    case OperationKind::SpinLock:
      return prose("waits for {}{}", object(), held_by(execution, index, names, "holds"));
    case OperationKind::MutexReacquire:
      return prose("has been woken and waits for {}{}", object(), held_by(execution, index, names, "holds"));
    case OperationKind::SignalWait:
      return "waits for a signal to take (sigwait)";
    case OperationKind::SignalSuspended:
      return "waits for a signal handler to run (sigsuspend or pause)";
    case OperationKind::ConditionWait:
    case OperationKind::ConditionWake:
      return prose("waits for a signal on {} (condition wait)", object());
    case OperationKind::ReadLock:
      return prose("waits to read-lock {}{}", object(), held_by(execution, index, names, "holds"));
    case OperationKind::WriteLock:
      return prose("waits to write-lock {}{}", object(), held_by(execution, index, names, "holds"));
    case OperationKind::SemaphoreWait:
      if (is_wait_of_script(execution, pending.object)) return "waits to be woken";
      return prose("waits for a post on {} (its value is 0)", object());
    case OperationKind::BarrierArrive:
    case OperationKind::BarrierLeave:
      return prose("waits at {} for more threads to arrive", object());
    case OperationKind::OnceBegin:
      return prose("waits for {} to be initialized{}", object(), held_by(execution, index, names, "initializes"));
    case OperationKind::DescriptorRead:
      return prose("waits to read from {}", object());
    case OperationKind::DescriptorWrite:
      return prose("waits for room to write to {}", object());
    case OperationKind::DescriptorWait:
      if (is_epoll_set(execution, pending.object)) return prose("waits at {}", object());
      return prose("waits in poll or select, for {} among others", object());
    case OperationKind::DescriptorOpen:
      return prose("waits for the other end of {} to be opened", object());
    case OperationKind::DescriptorLock:
      return prose("waits to lock {}", object());
    case OperationKind::FutexWait:
    case OperationKind::FutexWoken:
      return waking(index, pending, names);
    case OperationKind::AtomicLoad:
    case OperationKind::AtomicUpdate:
    case OperationKind::AtomicCompareExchange:
    case OperationKind::MemoryRead:
    case OperationKind::MemoryRangeRead:
      return prose("reads {} again and again, which nobody will change", object());
    case OperationKind::ProcessWait:
      return "waits for a child process to end";
    case OperationKind::FutexLocked:
      return prose("waits for {}{}", object(), held_by(execution, index, names, "holds"));
    default:
      return prose("waits ({})", name(pending.operation));
  }
}

std::set<TaskId> services_of(const Execution& execution) {
  std::set<TaskId> services;
  for (const PendingRecord& pending : execution.pending)
    if (is_service(pending)) services.insert(pending.task);
  return services;
}

Prose services_sentence(const Execution& execution, NameSource& names) {
  const std::set<TaskId> services = services_of(execution);
  if (services.empty()) return {};
  return prose("{} only {}", listed({services.begin(), services.end()}, names),
               services.size() == 1 ? "ticks" : "tick");
}

Prose deadlock_sentence(const Execution& execution, NameSource& names) {
  Prose result;
  std::size_t told = 0, more = 0;
  for (std::size_t i = 0; i < execution.pending.size(); ++i) {
    if (!is_blocked(execution.pending[i])) continue;
    if (told == kMaxTold) {
      ++more;
      continue;
    }
    ++told;
    const Prose place = names.place_of_pending(i);
    result += prose("{}{} {}{}", result.empty() ? "" : ";\n", names.task(execution.pending[i].task),
                    waiting_for(execution, i, names), place.empty() ? Prose() : prose(", at {}", place));
  }
  if (more != 0) result += prose(";\n{} more threads wait", more);
  if (const Prose ticking = services_sentence(execution, names); !ticking.empty()) result += ";\n" + ticking;
  if (is_likely_only(execution)) result += ": a deadlock is likely, and not proved";
  return result.empty() ? Prose("no thread can go on") : result;
}

}  // namespace heddle
