// See preemption_steps.h.
#include "search/preemption_steps.h"

#include <algorithm>

namespace heddle {

const std::uint32_t* PreemptionSteps::past_of(std::uint32_t before) {
  if (before == kNone) return nothing.data();
  const std::size_t cells = std::size_t{before + 1} * width;
  if (clocks.size() < cells) clocks.resize(std::max(cells, 2 * clocks.size()));
  for (; clocks_made <= before; ++clocks_made) make_clock(clocks_made);
  return clock(before);
}

// Does what comes behind the step `before` in its task come behind `step`? What its own task did, and what the one that
// created it had done until then, is known without clocks; mostly, what others did, too.
bool PreemptionSteps::is_behind(std::uint32_t before, std::uint32_t step) {
  if (before == kNone) return false;
  const Step& last = steps[before];
  const Step& other = steps[step];
  if (other.task == last.task) return other.own_number <= last.own_number;
  const std::uint32_t creation = created_by[last.task];
  if (creation != kNone && other.task == steps[creation].task && other.own_number <= steps[creation].own_number)
    return true;
  return is_behind_a_lock(before, step) || other.own_number < past_of(before)[other.task];
}

// Where things are ordered, that mostly is because one of the last steps of the task wrote an object (took a lock) that
// the other one's task had written behind `step`, or with it (a condition wait). False: it is not that.
bool PreemptionSteps::is_behind_a_lock(std::uint32_t before, std::uint32_t step) const {
  constexpr unsigned kOwnSteps = 3, kWrites = 32;
  const TaskId other = steps[step].task;
  unsigned own = 0;
  for (std::uint32_t at = before; own < kOwnSteps && at != kNone && at > step; at = steps[at].before, ++own) {
    const ObjectId object = steps[at].objects[0];
    std::uint32_t write = object != kNoObject ? steps[at].write_before[0] : kNone;
    for (unsigned seen = 0; seen < kWrites && write != kNone && write >= step; ++seen) {
      const Step& writing = steps[write];
      if (writing.task == other) return true;
      write = writing.write_before[writing.objects[0] == object ? 0 : 1];
    }
  }
  return false;
}

// From the clocks of the steps before it.
void PreemptionSteps::make_clock(std::uint32_t step) {
  const Step& made = steps[step];
  const std::uint32_t* past = made.before == kNone ? nothing.data() : clock(made.before);
  std::copy_n(past, width, clock(step));
  join(step, made.everything_before);
  if (made.everything)  // what is before the last such step is in its clock
    for (std::uint32_t at = made.everything_before + 1; at < step; ++at) join(step, at);
  for (unsigned which = 0; which < 2; ++which) {
    const ObjectId id = made.objects[which];
    if (id == kNoObject) continue;
    if (made.wrote)
      for (std::uint32_t at = made.access_before[which]; at != kNone && at != made.write_before[which];
           at = steps[at].access_before[steps[at].objects[0] == id ? 0 : 1])
        join(step, at);
    join(step, made.write_before[which]);
  }
  clock(step)[made.task] = made.own_number + 1;
}

void PreemptionSteps::join(std::uint32_t step, std::uint32_t earlier) {
  if (earlier == kNone) return;
  std::uint32_t* own = clock(step);
  const std::uint32_t* other = clock(earlier);
  for (std::uint32_t task = 0; task < width; ++task) own[task] = std::max(own[task], other[task]);
}

std::uint32_t PreemptionSteps::creation_of(TaskId task) const {
  if (task >= execution->tasks.size()) return kNone;
  const ObjectId thread = execution->tasks[task].object;
  if (thread == kNoObject || thread >= objects.size()) return kNone;
  for (std::uint32_t step = objects[thread].last; step != kNone;) {
    if (steps[step].creates) return step;
    step = steps[step].access_before[steps[step].objects[0] == thread ? 0 : 1];
  }
  return kNone;
}

}  // namespace heddle
