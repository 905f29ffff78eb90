// Deadlocks of locks, and locks that the wrong thread gives back.
#include <algorithm>

#include "analysis/held_locks.h"
#include "analysis/waiting.h"
#include "report/patterns/patterns.h"

namespace heddle::patterns {
namespace {

bool wants_lock(const PendingRecord& pending) {
  switch (pending.operation) {
    case OperationKind::MutexLock:
    case OperationKind::SpinLock:
    case OperationKind::ReadLock:
    case OperationKind::WriteLock:
    case OperationKind::FutexLocked:
      return is_blocked(pending) && pending.held_by != kNoTask;
    default:
      return false;
  }
}

bool is_deadlock(const PatternInput& input) {
  return input.kind == OutcomeKind::Deadlock && input.execution.end.end == EndKind::Deadlock;
}

// " (since queue.cpp:12)": where the holder of what is waited for took it; empty where that is not known.
Prose held_since(const PatternInput& input, const PendingRecord& pending) {
  return pending.held_since == 0
             ? Prose()
             : prose(" (since {})", input.names.places().name(input.names.places().of_site(pending.held_since)));
}

// The threads that wait in a ring for locks of each other, beginning with one of them; empty: there is no such ring.
std::vector<std::size_t> ring_of_locks(const Execution& execution) {
  const auto& pending = execution.pending;
  for (std::size_t first = 0; first < pending.size(); ++first) {
    std::vector<std::size_t> ring;
    for (std::size_t at = first; at < pending.size() && wants_lock(pending[at]) && ring.size() <= pending.size();) {
      ring.push_back(at);
      const auto next = std::find_if(pending.begin(), pending.end(),
                                     [&](const auto& one) { return one.task == pending[at].held_by; });
      at = static_cast<std::size_t>(next - pending.begin());
      if (at == first) return ring;
    }
  }
  return {};
}

}  // namespace

Prose double_lock(const PatternInput& input) {
  if (!is_deadlock(input)) return {};
  for (std::size_t i = 0; i < input.execution.pending.size(); ++i) {
    const PendingRecord& pending = input.execution.pending[i];
    if (!wants_lock(pending) || pending.held_by != pending.task) continue;
    return prose("{} locks {} at {} and holds it already{}.", input.names.task(pending.task),
                 input.names.object(pending.object), input.names.place_of_pending(i), held_since(input, pending));
  }
  return {};
}

Prose lock_order_inversion(const PatternInput& input) {
  if (!is_deadlock(input)) return {};
  const std::vector<std::size_t> ring = ring_of_locks(input.execution);
  if (ring.size() < 2) return {};
  std::vector<Prose> parts;
  for (const std::size_t index : ring) {
    const PendingRecord& wanted = input.execution.pending[index];
    // What it holds is what the thread before it in the ring waits for.
    const auto waiting = std::find_if(ring.begin(), ring.end(), [&](std::size_t other) {
      return input.execution.pending[other].held_by == wanted.task;
    });
    const PendingRecord& holds = input.execution.pending[*waiting];
    if (holds.object == wanted.object)
      return prose("{} and {} both hold {} for reading, and each waits for the other to write.",
                   input.names.task(wanted.task), input.names.task(holds.task), input.names.object(wanted.object));
    parts.push_back(prose("{} holds {}{} and wants {} ({})", input.names.task(wanted.task),
                          input.names.object(holds.object), held_since(input, holds), input.names.object(wanted.object),
                          input.names.place_of_pending(index)));
  }
  return joined(parts, "; ") + ". Take them in one order everywhere.";
}

Prose wait_holding_a_lock(const PatternInput& input) {
  if (!is_deadlock(input)) return {};
  for (std::size_t i = 0; i < input.execution.pending.size(); ++i) {
    const PendingRecord& waits = input.execution.pending[i];
    if (waits.operation != OperationKind::ConditionWake || !is_blocked(waits)) continue;
    for (const PendingRecord& other : input.execution.pending)
      if (wants_lock(other) && other.held_by == waits.task && other.task != waits.task)
        return prose("{} waits on {} at {} and still holds {}{}, which {} needs to go on.",
                     input.names.task(waits.task), input.names.object(waits.object), input.names.place_of_pending(i),
                     input.names.object(other.object), held_since(input, other), input.names.task(other.task));
  }
  return {};
}

Prose unlock_by_another(const PatternInput& input) {
  const Execution& execution = input.execution;
  if (input.kind != OutcomeKind::Misuse) return {};
  const PendingRecord* const pending = pending_of(execution, execution.end.task);
  if (pending == nullptr || pending->object == kNoObject) return {};
  if (pending->operation != OperationKind::MutexUnlock && pending->operation != OperationKind::SpinUnlock) return {};
  if (pending->held_by == kNoTask || pending->held_by == pending->task) return {};  // nobody holds it
  return prose("{} holds {}{}, and {} unlocks it.", input.names.task(pending->held_by),
               input.names.object(pending->object), held_since(input, *pending), input.names.task(pending->task));
}

}  // namespace heddle::patterns
