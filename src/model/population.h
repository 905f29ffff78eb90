// The tasks and objects of the program: how many there are, and which task is about to do something to which object.
#pragma once

#include <cstdint>

#include "model/object.h"
#include "model/spin_places.h"
#include "model/table.h"
#include "model/task.h"

namespace heddle::model {

inline constexpr std::uint32_t kMaxObjects = 1u << 22;

class Population {
 public:
  void create(Allocate allocate);
  // A task that nobody knows of yet; World::add_task() makes it one that may go on. kNoTask when there are kMaxTasks.
  TaskId add_task(TaskId parent, std::uint64_t address, Site created_at);
  ObjectId add_object(ObjectKind kind, TaskId creator, std::uint64_t address, Site created_at);
  Task& task(TaskId id) { return tasks_[id]; }
  const Task& task(TaskId id) const { return tasks_[id]; }
  Object& object(ObjectId id) { return objects_[id]; }
  const Object& object(ObjectId id) const { return objects_[id]; }
  std::uint32_t task_count() const { return task_count_; }
  std::uint32_t object_count() const { return object_count_; }  // ids are 1 to object_count()

  std::uint32_t live_tasks() const { return live_count_; }  // that have not ended, timers not among them
  void on_ended(const Task& task) { live_count_ -= task.timer ? 0 : 1; }
  void make_timer(TaskId id);
  // Have all other tasks ended and been joined? Then nothing that the only one does can come before what they did.
  bool others_are_over() const { return live_count_ == 1 && joined_count_ + 1 == task_count_; }
  void on_joined() { ++joined_count_; }

  // Who is pending on which object (Object::pending_first).
  void link_pending(Task& task, TaskId id);
  void unlink_pending(Task& task);

  // What a task has read since it last changed something; see spinning.h.
  ReadHistory* add_history();
  bool any_histories() const { return any_histories_; }
  // Where loops that wait count as yielding.
  SpinPlaces& spin_places() { return spin_places_; }
  const SpinPlaces& spin_places() const { return spin_places_; }
  // How many tasks wait for a lock of FUTEX_LOCK_PI.
  std::uint32_t lock_waits() const { return lock_waits_; }
  void count_lock_wait(int change) { lock_waits_ += static_cast<std::uint32_t>(change); }

 private:
  Table<Task> tasks_;
  Table<Object> objects_;
  std::uint32_t task_count_ = 0;
  std::uint32_t live_count_ = 0;
  std::uint32_t joined_count_ = 0;
  std::uint32_t object_count_ = 0;
  std::uint32_t lock_waits_ = 0;
  bool any_histories_ = false;
  SpinPlaces spin_places_;
  Allocate allocate_ = nullptr;
  std::uint32_t kind_counts_[16] = {};
};

}  // namespace heddle::model
