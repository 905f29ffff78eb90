// See sequential_order.h.
#include "model/sequential_order.h"

#include <algorithm>

namespace heddle::model {

bool SequentialOrder::make(Reserve reserve) {
  all_ = static_cast<Noted*>(reserve(sizeof(Noted) * kTasks * kOperations));
  return all_ != nullptr;
}

void SequentialOrder::begin_execution() {
  std::fill(counts_, counts_ + kTasks, Number{0});
  at_fence_ = {};
  lates_ = tasks_ = 0;
  gave_up_ = full_ = false;
}

void SequentialOrder::add(Past& past, const Past& more) const {
  for (std::uint32_t i = 0; i < tasks_; ++i) past.upto[i] = std::max(past.upto[i], more.upto[i]);
}

void SequentialOrder::add(Past& past, TaskId task, Number number) const {
  if (number <= past.upto[task]) return;
  add(past, noted(task, number).past);
  past.upto[task] = number;
}

void SequentialOrder::add(Future& future, TaskId task, Number number) {
  Number& first = future.from[task];
  if (number != 0 && (first == 0 || number < first)) first = number;
}

SequentialOrder::Past SequentialOrder::past_of(TaskId task, const VectorClocks& clocks) const {
  Past past = at_fence_;
  for (std::uint32_t other = 0; other < tasks_; ++other) {
    const auto id = static_cast<TaskId>(other);
    Number last = counts_[other];
    if (id != task) {
      // The epochs of a task ascend.
      Number unknown = static_cast<Number>(last + 1);
      last = std::min(past.upto[other], last);
      while (last + 1 < unknown) {
        const auto middle = static_cast<Number>(last + (unknown - last) / 2);
        (clocks.knows(task, id, noted(other, middle).epoch) ? last : unknown) = middle;
      }
    }
    if (last != 0) add(past, id, last);
  }
  return past;
}

bool SequentialOrder::may_precede(Past& past, const Future& future) const {
  if (gave_up_) return false;
  for (bool more = true; more;) {
    more = false;
    for (std::uint32_t i = 0; i < lates_; ++i) {
      const Late& late = late_[i];
      if (late.number <= past.upto[late.task]) continue;
      for (std::uint32_t task = 0; task < tasks_ && late.number > past.upto[late.task]; ++task)
        if (late.future.from[task] != 0 && late.future.from[task] <= past.upto[task]) add(past, late.task, late.number);
      more = more || late.number <= past.upto[late.task];
    }
  }
  for (std::uint32_t task = 0; task < tasks_; ++task)
    if (future.from[task] != 0 && future.from[task] <= past.upto[task]) return false;
  return true;
}

SequentialOrder::Number SequentialOrder::note(TaskId task, Epoch epoch, const Past& past, const Future& future) {
  if (gave_up_) return 0;
  gave_up_ = full_ = task >= kTasks || counts_[task] == kOperations || lates_ == kLate;
  if (gave_up_) return 0;
  tasks_ = std::max<std::uint32_t>(tasks_, task + 1u);
  const Number number = ++counts_[task];
  all_[task * kOperations + number - 1] = {epoch, past};
  if (std::any_of(future.from, future.from + kTasks, [](Number first) { return first != 0; }))
    late_[lates_++] = {task, number, future};
  return number;
}

void SequentialOrder::fence() { std::copy(counts_, counts_ + kTasks, at_fence_.upto); }

}  // namespace heddle::model
