// The beginning: of the world, of tasks, of objects. See world.h.
#include "model/world.h"

namespace heddle::model {
namespace {

// So many tasks fit into the sets as they are made at first: what a snapshot copies is little then.
constexpr std::uint32_t kSmallSet = 512;

TaskSet* enlarged(const TaskSet* set, Allocate allocate) {
  auto* made = static_cast<TaskSet*>(allocate(sizeof(TaskSet)));
  for (std::uint32_t i = 0; i < kSmallSet / 64; ++i) made->words[i] = set->words[i];
  return made;
}

}  // namespace

World* World::create(Allocate allocate, const Limits& limits) {
  auto* world = static_cast<World*>(allocate(sizeof(World)));
  *world = World();
  world->limits_ = limits;
  world->allocate_ = allocate;
  world->enabled_ = static_cast<TaskSet*>(allocate(kSmallSet / 8));
  world->eligible_ = static_cast<TaskSet*>(allocate(kSmallSet / 8));
  world->fairness_.create(allocate);
  world->objects_.ensure(0, allocate);
  world->add_task(kNoTask, 0, 0);
  return world;
}

TaskId World::add_task(TaskId parent, std::uint64_t address, Site created_at) {
  if (task_count_ == kMaxTasks) return kNoTask;
  const auto id = static_cast<TaskId>(task_count_++);
  // The word after the last task's is read, too.
  if (task_count_ == kSmallSet - 64) {
    enabled_ = enlarged(enabled_, allocate_);
    eligible_ = enlarged(eligible_, allocate_);
  }
  tasks_.ensure(id, allocate_);
  fairness_.add_task(id, allocate_);
  Task& task = tasks_[id];
  task = Task();
  ++live_count_;
  task.parent = parent;
  task.thread = add_object(ObjectKind::Thread, parent == kNoTask ? id : parent, address, created_at);
  objects_[task.thread].thread.task = id;
  set_state(id, TaskState::Enabled | TaskState::Eligible);  // nobody can hold it back yet
  return id;
}

ObjectId World::add_object(ObjectKind kind, TaskId creator, std::uint64_t address, Site created_at) {
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

}  // namespace heddle::model
