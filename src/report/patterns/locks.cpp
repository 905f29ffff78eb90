// Deadlocks of locks, and locks that the wrong thread gives back.
#include <algorithm>
#include <map>

#include "analysis/waiting.h"
#include "report/patterns/patterns.h"

namespace heddle::patterns {
namespace {

constexpr std::size_t kMostNamed = 5;

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
Prose held_since(const PatternInput& input, std::size_t pending) {
  const Prose place = input.names.place_of_hold(pending);
  return place.empty() ? Prose() : prose(" (since {})", place);
}

// The entries of Execution::pending whose threads wait in a ring for locks of each other; empty: there is no such ring.
std::vector<std::size_t> ring_of_locks(const Execution& execution) {
  const auto& pending = execution.pending;
  std::map<TaskId, std::size_t> entry_of;
  for (std::size_t i = 0; i < pending.size(); ++i) entry_of[pending[i].task] = i;
  std::vector<std::size_t> seen_from(pending.size(), pending.size());  // the entry from which it was first come to
  for (std::size_t first = 0; first < pending.size(); ++first) {
    std::vector<std::size_t> way;
    for (std::size_t at = first; at < pending.size() && wants_lock(pending[at]);) {
      if (seen_from[at] == first)  // the way leads into a ring
        return {std::find(way.begin(), way.end(), at), way.end()};
      if (seen_from[at] != pending.size()) break;  // another way has been here, and found none
      seen_from[at] = first;
      way.push_back(at);
      const auto next = entry_of.find(pending[at].held_by);
      at = next == entry_of.end() ? pending.size() : next->second;
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
                 input.names.object(pending.object), input.names.place_of_pending(i), held_since(input, i));
  }
  return {};
}

Prose lock_order_inversion(const PatternInput& input) {
  if (!is_deadlock(input)) return {};
  const std::vector<std::size_t> ring = ring_of_locks(input.execution);
  if (ring.size() < 2) return {};
  std::vector<Prose> parts;
  for (std::size_t i = 0; i < ring.size() && parts.size() < kMostNamed; ++i) {
    // What a thread holds is what the one before it in the ring waits for.
    const std::size_t before = ring[(i + ring.size() - 1) % ring.size()];
    const PendingRecord& wanted = input.execution.pending[ring[i]];
    parts.push_back(prose("{} holds {}{} and wants {} ({})", input.names.task(wanted.task),
                          input.names.object(input.execution.pending[before].object), held_since(input, before),
                          input.names.object(wanted.object), input.names.place_of_pending(ring[i])));
  }
  if (parts.size() < ring.size()) parts.emplace_back("and so on");
  return joined(parts, "; ") + ". Take them in one order everywhere.";
}

// Its holder is gone, or was cancelled: nobody will unlock it.
Prose lock_left_locked(const PatternInput& input) {
  if (!is_deadlock(input)) return {};
  for (std::size_t i = 0; i < input.execution.pending.size(); ++i) {
    const PendingRecord& pending = input.execution.pending[i];
    if (!wants_lock(pending) || pending_of(input.execution, pending.held_by) != nullptr) continue;
    return prose("{} has ended and left {} locked{}. {} waits for it at {}.", input.names.task(pending.held_by),
                 input.names.object(pending.object), held_since(input, i), input.names.task(pending.task),
                 input.names.place_of_pending(i));
  }
  return {};
}

Prose wait_holding_a_lock(const PatternInput& input) {
  if (!is_deadlock(input)) return {};
  const auto& pending = input.execution.pending;
  for (std::size_t i = 0; i < pending.size(); ++i) {
    if (!wants_lock(pending[i]) || pending[i].held_by == pending[i].task) continue;
    const auto holder = std::find_if(pending.begin(), pending.end(), [&](const PendingRecord& one) {
      return one.task == pending[i].held_by && one.operation == OperationKind::ConditionWake && is_blocked(one);
    });
    if (holder == pending.end()) continue;
    return prose("{} waits on {} at {} and still holds {}{}, which {} needs to go on.", input.names.task(holder->task),
                 input.names.object(holder->object),
                 input.names.place_of_pending(static_cast<std::size_t>(holder - pending.begin())),
                 input.names.object(pending[i].object), held_since(input, i), input.names.task(pending[i].task));
  }
  return {};
}

Prose unlock_by_another(const PatternInput& input) {
  const auto& pending = input.execution.pending;
  if (input.kind != OutcomeKind::Misuse) return {};
  for (std::size_t i = 0; i < pending.size(); ++i) {
    const PendingRecord& one = pending[i];
    if (one.task != input.execution.end.task || one.object == kNoObject) continue;
    if (one.operation != OperationKind::MutexUnlock && one.operation != OperationKind::SpinUnlock) return {};
    if (one.held_by == kNoTask || one.held_by == one.task) return {};  // nobody holds it
    return prose("{} holds {}{}, and {} unlocks it.", input.names.task(one.held_by), input.names.object(one.object),
                 held_since(input, i), input.names.task(one.task));
  }
  return {};
}

}  // namespace heddle::patterns
