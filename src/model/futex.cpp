// Futexes, as the kernel has them: FutexWait compares the word and enqueues, FutexWake takes waiters out of the queue
// as far as their bit sets meet. Which of the waiters are woken is a choice, unless there are too many possibilities.
//
// Operation::argument   FutexWait, FutexWoken: bit set
//                       FutexWake: how many | bit set << 32
//                       FutexRequeue: how many to wake | how many to move to object2 << 32; `word` null: no comparison
//                       FutexWakeOperation: how many of object | how many of object2 << 32; `word` is object2's, and
//                       `expected` says what is done to it (FUTEX_OP)
//                       of locks: ThreadNumbers, packed
#include "model/futex_lock.h"
#include "model/object_model.h"
#include "model/queue.h"

namespace heddle::model {
namespace {

std::uint32_t low_half(const Operation& operation) { return static_cast<std::uint32_t>(operation.argument); }
std::uint32_t high_half(const Operation& operation) { return static_cast<std::uint32_t>(operation.argument >> 32); }
std::uint32_t bits_of_waiter(const Task& task) { return low_half(task.pending); }

// The kernel takes the number as an int, and looks at it only after the first one is woken: 0 and less wake one.
std::uint32_t at_least_one(std::uint32_t how_many) {
  const auto count = static_cast<std::int32_t>(how_many);
  return count < 1 ? 1 : how_many;
}

// The first waiter from `id` on (itself included) that the wake is for; kNoTask when there is none.
TaskId match_from(const World& world, TaskId id, std::uint32_t bits) {
  while (id != kNoTask && (bits_of_waiter(world.task(id)) & bits) == 0) id = world.task(id).queue_next;
  return id;
}

std::uint32_t count_matches(const World& world, const FutexState& futex, std::uint32_t bits) {
  std::uint32_t matches = 0;
  for (TaskId id = match_from(world, futex.waiters.first, bits); id != kNoTask;
       id = match_from(world, world.task(id).queue_next, bits))
    ++matches;
  return matches;
}

std::uint16_t variants(const World& world, const Task& task) {
  const FutexState& futex = target(world, task).futex;
  switch (task.pending.kind) {
    case OperationKind::FutexWake:
      return ways_to_choose(count_matches(world, futex, high_half(task.pending)), at_least_one(low_half(task.pending)));
    case OperationKind::FutexRequeue:
      return ways_to_choose(futex.waiters.count, low_half(task.pending));
    default:
      return 1;
  }
}

bool enabled(const World&, const Task& task) {
  const OperationKind kind = task.pending.kind;
  return (kind != OperationKind::FutexWoken && kind != OperationKind::FutexLocked) || task.signalled;
}

Effect wait(World& world, TaskId id, FutexState& futex) {
  Operation operation = world.task(id).pending;
  if (bits_of_waiter(world.task(id)) == 0) return unchanged(EINVAL);
  if (*operation.word != operation.expected) return unchanged(EAGAIN);
  operation.kind = OperationKind::FutexWoken;
  world.task(id).signalled = false;
  push(world.population(), futex.waiters, id);
  world.set_pending(id, operation);
  return {.completes = false};
}

// A waiter that a wake has taken out has nothing left to do; one whose wait ends otherwise leaves the queue by itself.
Effect woken(World& world, TaskId id, FutexState& futex, Variant variant) {
  if (world.task(id).signalled) {
    world.task(id).signalled = false;
    return unchanged();
  }
  remove(world.population(), futex.waiters, id);
  if (variant != kTimeout) return changed();
  return {.result = ETIMEDOUT, .timed_out = true};
}

// The call ends with EINTR, or is made anew as it was.
Effect interrupt(World& world, TaskId id, Interruption) {
  Operation& pending = world.task(id).pending;
  if (pending.kind != OperationKind::FutexWoken && pending.kind != OperationKind::FutexLocked) return {};
  remove(world.population(), world.object(pending.object).futex.waiters, id);
  if (pending.kind == OperationKind::FutexLocked) {
    world.population().count_lock_wait(-1);
    pending.kind = OperationKind::FutexLock;
  } else {
    pending.kind = OperationKind::FutexWait;
  }
  return {};
}

bool waits_for_lock(const World& world, const FutexState& futex) {
  return futex.waiters.count != 0 && world.task(futex.waiters.first).pending.kind == OperationKind::FutexLocked;
}

// Wakes `most` of the waiters whose bits meet `bits`: those that `variant` chooses. How many they were.
std::uint32_t wake(World& world, FutexState& futex, std::uint32_t bits, std::uint32_t most, Variant variant) {
  const std::uint32_t matches = count_matches(world, futex, bits);
  std::uint32_t index = 0, count = 0;
  std::uint32_t chosen = 0;
  const bool all_chosen = most == 1 || ways_to_choose(matches, most) == 1;
  if (!all_chosen) chosen = nth_way_to_choose(matches, most, variant);
  for (TaskId id = match_from(world, futex.waiters.first, bits); id != kNoTask && count < most; ++index) {
    const TaskId next = world.task(id).queue_next;
    const bool wanted = most == 1 ? index == variant : all_chosen || (chosen >> index & 1) != 0;
    if (wanted) {
      release_waiter(world, futex, id);
      ++count;
    }
    id = match_from(world, next, bits);
  }
  return count;
}

Effect count_as_effect(std::uint32_t count) {
  return count == 0 ? unchanged() : released(static_cast<std::int32_t>(count));
}

Effect wake(World& world, const Operation& operation, FutexState& futex, Variant variant) {
  const std::uint32_t bits = high_half(operation);
  if (bits == 0) return unchanged(-EINVAL);
  if (waits_for_lock(world, futex)) return unchanged(-EINVAL);
  return count_as_effect(wake(world, futex, bits, at_least_one(low_half(operation)), variant));
}

Effect requeue(World& world, const Operation& operation, FutexState& futex, Variant variant) {
  FutexState& other = world.object(operation.object2).futex;
  if (operation.word != nullptr && *operation.word != operation.expected) return unchanged(-EAGAIN);
  if (waits_for_lock(world, futex)) return unchanged(-EINVAL);
  const std::uint32_t most_woken = low_half(operation), most_moved = high_half(operation);
  const std::uint32_t woken = most_woken == 0 ? 0 : wake(world, futex, ~std::uint32_t{0}, most_woken, variant);
  std::uint32_t moved = 0;
  if (operation.object == operation.object2) {  // the kernel counts them; they stay where they are
    moved = futex.waiters.count < most_moved ? futex.waiters.count : most_moved;
    return count_as_effect(woken + moved);
  }
  for (; moved < most_moved && futex.waiters.count != 0; ++moved) {
    const TaskId waiter = futex.waiters.first;
    Operation pending = world.task(waiter).pending;
    remove(world.population(), futex.waiters, waiter);
    push(world.population(), other.waiters, waiter);
    pending.object = operation.object2;
    world.set_pending(waiter, pending);
  }
  return count_as_effect(woken + moved);
}

// FUTEX_OP(): operation, comparison and their two arguments of twelve bits.
struct WordOperation {
  explicit WordOperation(std::uint32_t code)
      : kind(code >> 28 & 7),
        comparison(code >> 24 & 15),
        argument(sign_extended(code >> 12)),
        compared_with(sign_extended(code)) {
    if ((code >> 28 & 8) != 0) argument = static_cast<std::int32_t>(1u << (static_cast<std::uint32_t>(argument) & 31));
  }
  static std::int32_t sign_extended(std::uint32_t bits) { return static_cast<std::int32_t>(bits << 20) >> 20; }
  bool is_known() const { return kind <= 4 && comparison <= 5; }

  std::uint32_t applied_to(std::uint32_t word) const {
    const auto value = static_cast<std::uint32_t>(argument);
    switch (kind) {
      case 0:
        return value;
      case 1:
        return word + value;
      case 2:
        return word | value;
      case 3:
        return word & ~value;
      default:
        return word ^ value;
    }
  }

  bool compares(std::int32_t old) const {
    switch (comparison) {
      case 0:
        return old == compared_with;
      case 1:
        return old != compared_with;
      case 2:
        return old < compared_with;
      case 3:
        return old <= compared_with;
      case 4:
        return old > compared_with;
      default:
        return old >= compared_with;
    }
  }

  std::uint32_t kind;
  std::uint32_t comparison;
  std::int32_t argument;
  std::int32_t compared_with;
};

Effect wake_operation(World& world, const Operation& operation, FutexState& futex) {
  FutexState& other = world.object(operation.object2).futex;
  const WordOperation code(operation.expected);
  if (!code.is_known()) return unchanged(-ENOSYS);
  if (waits_for_lock(world, futex) || waits_for_lock(world, other)) return unchanged(-EINVAL);
  const std::uint32_t old = *operation.word;
  *operation.word = code.applied_to(old);
  constexpr std::uint32_t kAllBits = ~std::uint32_t{0};
  std::uint32_t count = wake(world, futex, kAllBits, at_least_one(low_half(operation)), 0);
  if (code.compares(static_cast<std::int32_t>(old)))
    count += wake(world, other, kAllBits, at_least_one(high_half(operation)), 0);
  return released(static_cast<std::int32_t>(count));
}

Effect apply(World& world, TaskId id, Variant variant) {
  const Operation operation = world.task(id).pending;
  FutexState& futex = world.object(operation.object).futex;
  switch (operation.kind) {
    case OperationKind::FutexWoken:
      return woken(world, id, futex, variant);
    case OperationKind::FutexWake:
      return wake(world, operation, futex, variant);
    case OperationKind::FutexRequeue:
      return requeue(world, operation, futex, variant);
    case OperationKind::FutexWakeOperation:
      return wake_operation(world, operation, futex);
    case OperationKind::FutexLock:
      return lock_futex(world, id, futex);
    case OperationKind::FutexLocked:
      return locked_futex(world, id, futex);
    case OperationKind::FutexTryLock:
      return try_lock_futex(world, id, futex);
    case OperationKind::FutexUnlock:
      return unlock_futex(world, id, futex);
    default:
      return wait(world, id, futex);
  }
}

bool may_be_spurious(const Task& task) { return task.pending.kind == OperationKind::FutexWoken && !task.signalled; }

}  // namespace

void release_waiter(World& world, FutexState& futex, TaskId waiter) {
  Operation operation = world.task(waiter).pending;
  operation.deadline = kNoDeadline;  // it can't time out any more
  remove(world.population(), futex.waiters, waiter);
  world.task(waiter).signalled = true;
  world.set_pending(waiter, operation);
}

const ObjectModel kFutexModel = {enabled, variants, apply, may_be_spurious, interrupt};

}  // namespace heddle::model
