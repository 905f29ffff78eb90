// See holder.h.
#include "model/holder.h"

namespace heddle::model {
namespace {

struct Holder {
  TaskId task = kNoTask;
  Site since = 0;
};

Holder find(const Object& object) {
  switch (object.kind) {
    case ObjectKind::Mutex:
      return {object.mutex.owner, object.mutex.taken_at};
    case ObjectKind::RwLock: {
      const RwLockState& lock = object.rwlock;
      return {lock.writer != kNoTask ? lock.writer : lock.last_reader, lock.taken_at};
    }
    case ObjectKind::SpinLock:
      return {object.spinlock.owner, object.spinlock.taken_at};
    case ObjectKind::Once:
      return {object.once.runner, object.once.taken_at};
    case ObjectKind::Futex:
      return {object.futex.owner, object.futex.taken_at};
    case ObjectKind::Thread:
      return {object.thread.ended ? kNoTask : object.thread.task, 0};
    default:
      return {};
  }
}

}  // namespace

TaskId holder(const World& world, ObjectId object, Site* since) {
  const Holder found = object == kNoObject ? Holder() : find(world.object(object));
  if (since != nullptr) *since = found.task == kNoTask ? 0 : found.since;
  return found.task;
}

}  // namespace heddle::model
