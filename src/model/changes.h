// Which tasks have changed their TaskState, or have yielded, since the runtime last asked. The runtime records what it
// gets here.
//
// Of a thousand tasks that wait for a mutex, each step that takes or releases it changes hundreds. Where many have
// changed at once, those with the same pending object are taken as one: they stand at the object's gate (protocol's
// Gate), and as long as all of them change alike, one entry says so.
#pragma once

#include "model/population.h"

namespace heddle::model {

class Changes {
 public:
  bool any() const { return first_ != kNoTask; }  // perhaps of one whose state is again what it was
  // More than are worth being taken one by one.
  bool many() const { return count_ > kFew; }
  void note(Task& task, TaskId id) {
    if (task.in_changed) return;
    task.in_changed = true;
    task.changed_next = first_;
    first_ = id;
    ++count_;
  }
  // It has no longer to do with the object at whose gate it stands: what it does next is reported for it alone.
  [[gnu::always_inline]] void leave_gate(Population& population, Task& task, TaskId id) {
    if (__builtin_expect(task.gate != 0, 0)) leave(population, task, id);
  }
  struct Change {
    TaskId task = kNoTask;
    std::uint8_t state = 0;
    std::uint8_t yields = 0;  // that counted for fairness
  };
  // The next one; false when there is none.
  bool take(Population& population, Change& change);
  // All of them: calls put(Change) for each entry, gates included.
  template <typename Put>
  void take_many(Population& population, Put put) {
    const Crowd crowd = find_crowd(population);
    if (crowd.gate != 0) put(Change{static_cast<TaskId>(Gate::kMark | crowd.gate), crowd.state, 0});
    for (Change change; take_besides(population, crowd, change);) put(change);
  }

 private:
  static constexpr std::uint32_t kFew = 2 * ChangesRecord::kCapacity;
  // Tasks that have changed and are one entry.
  struct Crowd {
    std::uint16_t gate = 0;  // 0: there is none
    std::uint8_t state = 0;
  };
  void leave(Population& population, Task& task, TaskId id);
  Crowd find_crowd(Population& population) const;
  bool take_besides(Population& population, const Crowd& crowd, Change& change);

  TaskId first_ = kNoTask;  // Task::changed_next leads on
  std::uint32_t count_ = 0;
};

}  // namespace heddle::model
