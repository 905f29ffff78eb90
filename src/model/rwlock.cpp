// Reader-writer locks. By default readers go in whenever no writer is inside, as in glibc.
//
// PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP: readers wait behind writers that wait. A task that has merely published
// its WriteLock does not wait yet (it may be a moment before the call). So a WriteLock that finds the lock taken has
// two steps: it queues, then it takes the lock. Queued writers come first even while nobody is inside: neither a reader
// nor a try-lock gets the lock.
#include "model/object_model.h"

namespace heddle::model {
namespace {

constexpr std::uint64_t kQueued = 1;  // Operation::argument of a WriteLock that waits in the lock

bool is_held(const RwLockState& lock) { return lock.writer != kNoTask || lock.readers != 0; }

bool writer_is_queued(const World& world, const Object& object) {
  return object.rwlock.prefer_writer && any_pending(world, object, [](const Operation& operation) {
           return operation.kind == OperationKind::WriteLock && operation.argument == kQueued;
         });
}

bool open_to_readers(const World& world, const Object& object) {
  return object.rwlock.writer == kNoTask && !writer_is_queued(world, object);
}

bool enabled(const World& world, const Task& task) {
  const Object& object = target(world, task);
  const RwLockState& lock = object.rwlock;
  const bool own = lock.writer == id_of(world, task);  // EDEADLK
  switch (task.pending.kind) {
    case OperationKind::ReadLock:
      return object.is_gone() || own || open_to_readers(world, object);
    case OperationKind::WriteLock:
      return object.is_gone() || own || !is_held(lock) || (lock.prefer_writer && task.pending.argument != kQueued);
    default:
      return true;
  }
}

Effect read_lock(RwLockState& lock, TaskId id, Site site) {
  if (lock.writer == id) return unchanged(EDEADLK);
  if (lock.readers == UINT16_MAX) return unchanged(EAGAIN);
  ++lock.readers;
  lock.last_reader = id;
  lock.taken_at = site;
  return changed();
}

Effect write_lock(World& world, TaskId id, RwLockState& lock) {
  if (lock.writer == id) return unchanged(EDEADLK);
  Operation operation = world.task(id).pending;
  if (is_held(lock)) {
    operation.argument = kQueued;
    world.set_pending(id, operation);
    return {.completes = false};
  }
  lock.writer = id;
  lock.taken_at = operation.site;
  return changed();
}

Effect unlock(RwLockState& lock, TaskId id) {
  if (lock.writer == id) {
    lock.writer = kNoTask;
  } else if (lock.writer != kNoTask) {
    return misuse("unlocked a reader-writer lock that another thread holds");
  } else if (lock.readers == 0) {
    return misuse("unlocked a reader-writer lock that nobody holds");
  } else {
    --lock.readers;
    if (lock.last_reader == id || lock.readers == 0) lock.last_reader = kNoTask;
  }
  if (!is_held(lock)) lock.taken_at = 0;
  return released();
}

Effect destroy(const World& world, Object& object) {
  if (is_held(object.rwlock)) return misuse("destroyed a reader-writer lock that is still locked");
  if (writer_is_queued(world, object)) return misuse("destroyed a reader-writer lock that threads are waiting for");
  object.gone = Gone::Destroyed;
  return changed();
}

Effect apply(World& world, TaskId id, Variant variant) {
  const Operation& operation = world.task(id).pending;
  Object& object = world.object(operation.object);
  RwLockState& lock = object.rwlock;
  if (object.is_gone()) return misuse_of_gone(object);
  if (variant == kTimeout) return timed_out();
  if (variant == kSpurious) return unchanged(EBUSY);
  switch (operation.kind) {
    case OperationKind::ReadLock:
      return read_lock(lock, id, operation.site);
    case OperationKind::TryReadLock:
      return open_to_readers(world, object) ? read_lock(lock, id, operation.site) : unchanged(EBUSY);
    case OperationKind::TryWriteLock:
      return is_held(lock) || writer_is_queued(world, object) ? unchanged(EBUSY) : write_lock(world, id, lock);
    case OperationKind::RwUnlock:
      return unlock(lock, id);
    case OperationKind::RwDestroy:
      return destroy(world, object);
    default:
      return write_lock(world, id, lock);
  }
}

bool may_be_spurious(const Task& task) {
  return task.pending.kind == OperationKind::TryReadLock || task.pending.kind == OperationKind::TryWriteLock;
}

}  // namespace

const ObjectModel kRwLockModel = {enabled, one_variant, apply, may_be_spurious};

}  // namespace heddle::model
