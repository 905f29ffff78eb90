// Who may go on: the states of all tasks as sets, what fairness says, and how far the execution has come.
//
// The state of a single task follows from its pending operation; evaluation.h computes it. Here it is kept.
#pragma once

#include <cstdint>

#include "model/changes.h"
#include "model/fairness.h"
#include "model/steps.h"
#include "model/task.h"
#include "protocol/records.h"
#include "protocol/timeouts.h"

namespace heddle::model {

// The state of a task that is enabled, and that nothing holds back.
inline constexpr std::uint8_t kGo = TaskState::Enabled | TaskState::Eligible;

struct Limits {
  bool fair = true;  // hold back tasks that yield while others wait (fairness.h)
  Timeouts timeouts = Timeouts::Early;
  std::uint32_t spurious_wakeups = 0;  // how many
  std::uint32_t stale = 0;             // how many accesses to a weak memory may be other than to the newest value
  bool early_timeouts() const { return timeouts == Timeouts::Early; }
};

class Schedule {
 public:
  void create(Allocate allocate, const Limits& limits);
  void add_task(Task& task, TaskId id);  // nobody can hold it back yet
  const Limits& limits() const { return limits_; }
  // Before the first step.
  void be_fair(bool fair) { limits_.fair = fair; }
  // From now on steps are counted and fairness is kept; before, steps only take effect.
  void begin_branching();
  // Only `survivor` goes on, and steps are no longer counted.
  void end_branching(TaskId survivor);
  bool is_branching() const { return branching_; }

  Steps& steps() { return steps_; }
  const Steps& steps() const { return steps_; }
  Changes& changes() { return changes_; }

  bool nothing_enabled() const { return enabled_count_ == 0; }
  std::uint16_t eligible_count() const { return static_cast<std::uint16_t>(eligible_count_); }
  TaskId lowest_eligible(TaskId besides = kNoTask) const;
  // Calls visit(task) for each of them, in ascending order.
  template <typename Visit>
  void for_each_eligible(Visit visit) const {
    for_each(*eligible_, words_, visit);
  }
  void set_state(Task& task, TaskId id, std::uint8_t state);
  // set_state() for a task that can either go on or not, and nothing else; and it changes.
  void set_able(Task& task, TaskId id, bool able);

  const Fairness& fairness() const { return fairness_; }
  bool is_held_back(TaskId id) const { return fairness_.held_back(id, *enabled_, words_); }
  // `id` has taken the present step.
  [[gnu::always_inline]] void on_step(TaskId id) { fairness_.on_step(id, steps_.count(), words_); }
  void on_yield(Task& task, TaskId id);

  // Does nothing but the operations themselves say who may go on? See update_calm().
  bool is_calm() const { return calm_; }
  // Was nothing enabled at the last decision? The Timeout and Earliest bits are set accordingly.
  bool only_timeouts() const { return only_timeouts_; }
  // What depends on the enabled set as a whole is brought up to date before a decision (settle() in evaluation.h).
  // True: those that wait for a deadline are to be looked at anew.
  bool update_only_timeouts();
  // True: all tasks are, since anyone may be held back, or no longer be.
  bool update_edges();
  void update_calm();

 private:
  Fairness fairness_;
  TaskSet* enabled_ = nullptr;
  TaskSet* eligible_ = nullptr;
  std::uint32_t enabled_count_ = 0;
  std::uint32_t eligible_count_ = 0;
  Steps steps_;
  Changes changes_;
  bool calm_ = false;
  bool branching_ = false;
  bool had_edges_ = false;  // at the last decision
  bool only_timeouts_ = false;
  std::uint32_t words_ = 0;  // of the sets that may be in use
  Limits limits_;
  Allocate allocate_ = nullptr;
};

}  // namespace heddle::model
