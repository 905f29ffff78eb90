// See population.h.
#include "model/population.h"

#include "model/read_history.h"

namespace heddle::model {

void Population::create(Allocate allocate) {
  allocate_ = allocate;
  objects_.ensure(0, allocate);
  spin_places_.create(allocate);
}

TaskId Population::add_task(TaskId parent, std::uint64_t address, Site created_at) {
  if (task_count_ == kMaxTasks) return kNoTask;
  const auto id = static_cast<TaskId>(task_count_++);
  tasks_.ensure(id, allocate_);
  Task& task = tasks_[id];
  task = Task();
  ++live_count_;
  task.parent = parent;
  task.thread = add_object(ObjectKind::Thread, parent == kNoTask ? id : parent, address, created_at);
  objects_[task.thread].thread.task = id;
  return id;
}

void Population::make_timer(TaskId id) {
  tasks_[id].timer = true;
  --live_count_;
}

ObjectId Population::add_object(ObjectKind kind, TaskId creator, std::uint64_t address, Site created_at) {
  if (object_count_ + 1 == kMaxObjects) return kNoObject;
  const ObjectId id = ++object_count_;
  objects_.ensure(id, allocate_);
  Object& object = objects_[id];
  object = Object();
  object.kind = kind;
  object.creator = creator;
  object.sequence = kind_counts_[static_cast<unsigned>(kind)]++;
  object.address = address;
  object.created_at = created_at;
  switch (kind) {
    case ObjectKind::Mutex:
      object.mutex = MutexState();
      break;
    case ObjectKind::Condition:
      object.condition = ConditionState();
      break;
    case ObjectKind::RwLock:
      object.rwlock = RwLockState();
      break;
    case ObjectKind::Semaphore:
      object.semaphore = SemaphoreState();
      break;
    case ObjectKind::Barrier:
      object.barrier = BarrierState();
      break;
    case ObjectKind::SpinLock:
      object.spinlock = SpinLockState();
      break;
    case ObjectKind::Once:
      object.once = OnceState();
      break;
    case ObjectKind::Futex:
      object.futex = FutexState();
      break;
    case ObjectKind::Memory:
      object.memory = MemoryState();
      break;
    case ObjectKind::Thread:
    case ObjectKind::Descriptor:
    case ObjectKind::None:
      break;
  }
  return id;
}

void Population::link_pending(Task& task, TaskId id) {
  if (task.pending.object == kNoObject) return;
  TaskId& first = objects_[task.pending.object].pending_first;
  task.pending_previous = kNoTask;
  task.pending_next = first;
  if (first != kNoTask) tasks_[first].pending_previous = id;
  first = id;
}

void Population::unlink_pending(Task& task) {
  if (task.pending.object == kNoObject) return;
  TaskId& first = objects_[task.pending.object].pending_first;
  (task.pending_previous == kNoTask ? first : tasks_[task.pending_previous].pending_next) = task.pending_next;
  if (task.pending_next != kNoTask) tasks_[task.pending_next].pending_previous = task.pending_previous;
  task.pending_next = task.pending_previous = kNoTask;
}

ReadHistory* Population::add_history() {
  auto* history = static_cast<ReadHistory*>(allocate_(sizeof(ReadHistory)));
  history->forget();
  any_histories_ = true;
  return history;
}

}  // namespace heddle::model
