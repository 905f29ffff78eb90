// Virtual time, in nanoseconds since the program began, and the tasks that wait for a deadline.
#pragma once

#include <cstdint>

#include "model/population.h"

namespace heddle::model {

class Clock {
 public:
  Nanoseconds now() const { return now_; }
  bool advance(Nanoseconds to);  // false: it is not later than now()

  // Whose pending operation has a deadline: the first of them, and Task::timed_next leads on.
  TaskId first() const { return first_; }
  void add(Population& population, TaskId id);
  void remove(Population& population, TaskId id);
  // True: for others, whether they are behind a timer may have changed.
  bool count_one_shot(const Operation& operation, int change);
  // The kernel's timers are not late as threads can be: what is to end after one does not end before it. Not so with
  // those that expire again and again, behind which nothing that waits long could ever end early.
  bool is_behind_timer(const Population& population, const Operation& operation) const;
  TaskId earliest(const Population& population) const;                // kNoTask: nobody waits for a deadline
  Nanoseconds earliest_deadline(const Population& population) const;  // kNoDeadline: there is none

 private:
  Nanoseconds now_ = 0;
  std::uint32_t one_shot_timers_ = 0;  // that are set
  TaskId first_ = kNoTask;
};

}  // namespace heddle::model
