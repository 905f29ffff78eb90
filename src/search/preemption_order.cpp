// The part of preemption_points.h that says which step is behind which: with vector clocks where nothing simpler does.
#include <algorithm>

#include "search/preemption_points.h"

namespace heddle {

const std::uint32_t* PreemptionPoints::past_of(std::uint32_t before) {
  if (before == kNone) return nothing_.data();
  const std::size_t cells = std::size_t{before + 1} * width_;
  if (clocks_.size() < cells) clocks_.resize(std::max(cells, 2 * clocks_.size()));
  for (; clocks_made_ <= before; ++clocks_made_) make_clock(clocks_made_);
  return clock(before);
}

// Does what comes behind the step `before` in its task come behind `step`? What its own task did, and what the one that
// created it had done until then, is known without clocks; mostly, what others did, too.
bool PreemptionPoints::is_behind(std::uint32_t before, std::uint32_t step) {
  if (before == kNone) return false;
  const Step& last = steps_[before];
  const Step& other = steps_[step];
  if (other.task == last.task) return other.own_number <= last.own_number;
  const std::uint32_t creation = created_by_[last.task];
  if (creation != kNone && other.task == steps_[creation].task && other.own_number <= steps_[creation].own_number)
    return true;
  return is_behind_a_lock(before, step) || other.own_number < past_of(before)[other.task];
}

// Where things are ordered, that mostly is because one of the last steps of the task wrote an object (took a lock) that
// the other one's task had written behind `step`, or with it (a condition wait). False: it is not that.
bool PreemptionPoints::is_behind_a_lock(std::uint32_t before, std::uint32_t step) const {
  constexpr unsigned kOwnSteps = 3, kWrites = 32;
  const TaskId other = steps_[step].task;
  unsigned own = 0;
  for (std::uint32_t at = before; own < kOwnSteps && at != kNone && at > step; at = steps_[at].before, ++own) {
    const ObjectId object = steps_[at].objects[0];
    std::uint32_t write = object != kNoObject ? steps_[at].write_before[0] : kNone;
    for (unsigned count = 0; count < kWrites && write != kNone && write >= step; ++count) {
      const Step& writing = steps_[write];
      if (writing.task == other) return true;
      write = writing.write_before[writing.objects[0] == object ? 0 : 1];
    }
  }
  return false;
}

// From the clocks of the steps before it.
void PreemptionPoints::make_clock(std::uint32_t step) {
  const Step& made = steps_[step];
  const std::uint32_t* past = made.before == kNone ? nothing_.data() : clock(made.before);
  std::copy_n(past, width_, clock(step));
  join(step, made.everything_before);
  if (made.everything)  // what is before the last such step is in its clock
    for (std::uint32_t at = made.everything_before + 1; at < step; ++at) join(step, at);
  for (unsigned which = 0; which < 2; ++which) {
    const ObjectId id = made.objects[which];
    if (id == kNoObject) continue;
    if (made.wrote)
      for (std::uint32_t at = made.access_before[which]; at != kNone && at != made.write_before[which];
           at = steps_[at].access_before[steps_[at].objects[0] == id ? 0 : 1])
        join(step, at);
    join(step, made.write_before[which]);
  }
  clock(step)[made.task] = made.own_number + 1;
}

void PreemptionPoints::join(std::uint32_t step, std::uint32_t earlier) {
  if (earlier == kNone) return;
  std::uint32_t* own = clock(step);
  const std::uint32_t* other = clock(earlier);
  for (std::uint32_t task = 0; task < width_; ++task) own[task] = std::max(own[task], other[task]);
}

std::uint32_t PreemptionPoints::creation_of(TaskId task) const {
  if (task >= execution_->tasks.size()) return kNone;
  const ObjectId thread = execution_->tasks[task].object;
  if (thread == kNoObject || thread >= objects_.size()) return kNone;
  for (std::uint32_t step = objects_[thread].last; step != kNone;) {
    if (steps_[step].creates) return step;
    step = steps_[step].access_before[steps_[step].objects[0] == thread ? 0 : 1];
  }
  return kNone;
}

}  // namespace heddle
