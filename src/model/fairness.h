// Fair scheduling, so that a task that waits by yielding can't keep the ones it waits for from running.
//
// Source: Musuvathi and Qadeer, Fair stateless model checking, PLDI 2008, Algorithm 1. It keeps a priority relation P
// on tasks: (t, h) in P means that t may run only while h is not enabled. At each yield of t, an edge (t, h) is added
// for every h in H = (E(t) ∪ D(t)) \ S(t). Since t's last yield, the tasks of E were enabled throughout, those of D
// were disabled by t, and those of S have run. When h runs, the edges into h are removed. P stays acyclic, so some
// enabled task may always run.
//
// We deviate in form, not in meaning. E and S are not kept as sets per task. They follow from three step numbers: the
// task's last yield, every other task's last step, and the step since which that one is enabled. So a step costs
// nothing here unless somebody has yielded twice. At the start S(t) holds all tasks, also those created before t's
// first yield: a first yield adds nothing.
#pragma once

#include <cstdint>

#include "model/table.h"
#include "model/task_set.h"
#include "protocol/operations.h"

namespace heddle::model {

class Fairness {
 public:
  void create(Allocate allocate);
  void add_task(TaskId task, Allocate allocate) { marks_.ensure(task, allocate); }
  // `task` took step number `step` (from 1): edges into it go.
  [[gnu::always_inline]] void on_step(TaskId task, std::uint32_t step, std::uint32_t words) {
    marks_[task].scheduled_step = step;
    ++marks_[task].steps;
    if (__builtin_expect(owners_count_ != 0, 0)) remove_edges(task, words);
  }
  void on_enabled(TaskId task, std::uint32_t step) { marks_[task].enabled_since = step; }
  // `by` took a step that disabled `task`.
  void on_disabled(TaskId task, TaskId by);
  // `task` yields after `step` steps; `enabled` as it is now.
  void on_yield(TaskId task, std::uint32_t step, const TaskSet& enabled, std::uint32_t words);
  bool held_back(TaskId task, const TaskSet& enabled, std::uint32_t words) const;
  // Step numbers, from 1.
  std::uint32_t last_step_of(TaskId task) const { return marks_[task].scheduled_step; }
  std::uint32_t enabled_since(TaskId task) const { return marks_[task].enabled_since; }
  std::uint32_t steps_of(TaskId task) const { return marks_[task].steps; }
  bool any_edges() const { return owners_count_ != 0; }

 private:
  struct Marks {
    std::uint32_t yield_step;
    std::uint32_t scheduled_step;
    std::uint32_t enabled_since;
    std::uint32_t steps;  // that it has taken
    bool yielded;         // at least once
    bool has_disabled;    // `disabled` is not empty
    // Made at the task's first yield: few tasks do.
    TaskSet* edges;     // every h with (task, h) in P
    TaskSet* disabled;  // D(task)
  };
  void remove_edges(TaskId to, std::uint32_t words);

  Table<Marks> marks_;
  Allocate allocate_ = nullptr;
  TaskSet* owners_ = nullptr;  // tasks with an edge out of them
  std::uint32_t owners_count_ = 0;
};

}  // namespace heddle::model
