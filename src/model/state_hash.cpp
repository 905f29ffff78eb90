// See state_hash.h. Also part of libheddle.so: nothing here needs a library.
#include "model/state_hash.h"

#include "model/spinning.h"

namespace heddle::model {
namespace {

void add_queue(StateHash& hash, const World& world, const TaskQueue& queue) {
  for (TaskId id = queue.first; id != kNoTask; id = world.task(id).queue_next) hash.add(id);
  hash.add(kNoTask);
}

// Rounds of condition variables and barriers count up; what they are for is seen in the queues.
void add_object(StateHash& hash, const World& world, const Object& object) {
  hash.add(static_cast<std::uint64_t>(object.kind) << 8 | static_cast<std::uint64_t>(object.gone));
  hash.add(object.address);
  switch (object.kind) {
    case ObjectKind::Mutex: {
      const MutexState& mutex = object.mutex;
      const unsigned flags = (mutex.robust ? 1u : 0u) | (mutex.owner_died ? 2u : 0u) | (mutex.inconsistent ? 4u : 0u) |
                             (mutex.not_recoverable ? 8u : 0u);
      hash.add(std::uint64_t{mutex.depth} << 32 | std::uint64_t{mutex.owner} << 16 |
               static_cast<unsigned>(mutex.type) << 8 | flags);
      return hash.add(mutex.ceiling);
    }
    case ObjectKind::Condition:
      hash.add(object.condition.mutex);
      return add_queue(hash, world, object.condition.waiters);
    case ObjectKind::RwLock:
      return hash.add(std::uint64_t{object.rwlock.writer} << 32 | std::uint64_t{object.rwlock.readers} << 16 |
                      (object.rwlock.prefer_writer ? 1u : 0u));
    case ObjectKind::Semaphore:
      return hash.add(object.semaphore.value);
    case ObjectKind::Barrier: {
      const BarrierState& barrier = object.barrier;
      hash.add(std::uint64_t{barrier.threshold} << 32 | barrier.arrived);
      hash.add(std::uint64_t{barrier.leaving} << 32 | barrier.interrupted);
      return add_queue(hash, world, barrier.waiters);
    }
    case ObjectKind::SpinLock:
      return hash.add(object.spinlock.owner);
    case ObjectKind::Once:
      hash.add(object.once.known_to);
      return hash.add(std::uint64_t{object.once.runner} << 8 | (object.once.done ? 1u : 0u));
    case ObjectKind::Futex:
      hash.add(object.futex.owner);
      return add_queue(hash, world, object.futex.waiters);
    case ObjectKind::Thread: {
      const ThreadState& thread = object.thread;
      const unsigned flags = (thread.ended ? 1u : 0u) | (thread.detached ? 2u : 0u) | (thread.joined ? 4u : 0u);
      return hash.add(std::uint64_t{thread.task} << 32 | std::uint64_t{thread.joiner} << 16 | flags);
    }
    default:
      return;
  }
}

void add_pending(StateHash& hash, const World& world, const Operation& operation) {
  hash.add(static_cast<std::uint64_t>(operation.kind) << 56 | std::uint64_t{operation.interruptible} << 40 |
           std::uint64_t{operation.signal} << 32 | static_cast<std::uint32_t>(operation.result));
  hash.add(std::uint64_t{operation.object} << 32 | operation.object2);
  hash.add(operation.deadline == kNoDeadline ? ~std::uint64_t{0}
                                             : static_cast<std::uint64_t>(operation.deadline - world.clock().now()));
  hash.add(operation.argument);
  hash.add(reinterpret_cast<std::uintptr_t>(operation.word));
  hash.add(operation.site);
  // A rejoin expects a round, which counts up.
  const bool round = operation.kind == OperationKind::ConditionRejoin || operation.kind == OperationKind::BarrierRejoin;
  hash.add(round ? 0 : operation.expected);
}

void add_task(StateHash& hash, const World& world, const Task& task) {
  const unsigned flags = (task.ended ? 1u : 0u) | (task.published ? 2u : 0u) | (task.yielded ? 4u : 0u) |
                         (task.signalled ? 8u : 0u) | (task.timer ? 16u : 0u) | (task.has_waited ? 32u : 0u);
  hash.add(std::uint64_t{task.interrupts} << 40 | std::uint64_t{task.cancellation} << 32 |
           std::uint64_t{task.robust_held} << 16 | static_cast<unsigned>(task.interruption) << 8 | flags);
  if (task.ended) return;
  hash.add(task.blocked_signals);
  hash.add(task.arrived_signals);
  if (task.published) add_pending(hash, world, task.pending);
}

}  // namespace

StateHash hash_state(const World& world) {
  StateHash hash;
  hash.add(std::uint64_t{world.population().task_count()} << 32 | world.population().object_count());
  hash.add(world.schedule().steps().last_ran());
  hash.add(world.schedule().steps().stale());  // nobody reads old values for ever
  hash.add(world.signals().of_process());
  for (std::uint32_t id = 0; id < world.population().task_count(); ++id)
    add_task(hash, world, world.task(static_cast<TaskId>(id)));
  for (ObjectId id = 1; id <= world.population().object_count(); ++id) add_object(hash, world, world.object(id));
  return hash;
}

StateHash hash_reads(const World& world) {
  constexpr auto up_to = [](std::uint32_t count, std::uint32_t most) { return count < most ? count : most; };
  StateHash hash;
  for (std::uint32_t id = 0; id < world.population().task_count(); ++id) {
    const Task& task = world.task(static_cast<TaskId>(id));
    const ReadHistory* const reads = task.ended ? nullptr : task.reads;
    if (reads == nullptr || reads->count == 0) continue;
    if (reads->last_step != world.schedule().fairness().last_step_of(static_cast<TaskId>(id))) continue;
    hash.add(std::uint64_t{id} << 32 | reads->count);
    hash.add(std::uint64_t{up_to(reads->repeated, ReadHistory::kPatience)} << 32 | reads->free_reads);
    hash.add((reads->hopeless ? 1u : 0u) | (reads->too_long ? 2u : 0u));
    for (std::uint32_t i = 0; i < reads->count; ++i) hash.add(reads->entries[i].state);
  }
  return hash;
}

bool is_fair_since(const World& world, std::uint32_t since) {
  for (std::uint32_t i = 0; i < world.population().task_count(); ++i) {
    const auto id = static_cast<TaskId>(i);
    const Task& task = world.task(id);
    if (task.ended || !task.published || world.schedule().fairness().last_step_of(id) > since) continue;
    // Time passes while the others go round, and ends its wait.
    if (task.pending.deadline != kNoDeadline) return false;
    // Enabled now, and so in the equal state; or in between, and then disabled again.
    if ((task.state & TaskState::Enabled) != 0 || world.schedule().fairness().enabled_since(id) > since) return false;
  }
  return true;
}

}  // namespace heddle::model
