// The steps of the executions that PreemptionPoints reads, as far as it needs them, and which of them comes after
// which: by vector clocks where nothing simpler tells.
#pragma once

#include <cstdint>
#include <vector>

#include "trace/execution.h"

namespace heddle {

// PreemptionPoints enters the steps and takes them back.
struct PreemptionSteps {
  using Place = std::uint32_t;  // numbers from 0
  static constexpr std::uint32_t kNone = 0xffffffff;

  // What a step accesses, and what was there before it.
  struct Step {
    Place place = 0;               // where it is movable
    std::uint32_t own_number = 0;  // of its task's steps, from 0
    std::uint32_t own_before = kNone;
    std::uint32_t before = kNone;  // the same; of a task's first step, its creation
    ObjectId objects[2] = {};
    std::uint32_t access_before[2] = {kNone, kNone};
    std::uint32_t write_before[2] = {kNone, kNone};
    std::uint32_t others_before[2] = {kNone, kNone};  // not one of the reads that its task has made in a row up to it
    std::uint32_t everything_before = kNone;
    std::uint32_t open_before = kNone;  // of an open one: the one of its task before it that was
    TaskId task = 0;
    OperationKind operation = OperationKind::None;
    bool wrote = false;
    bool everything = false;  // ordered with all others
    bool creates = false;
    bool movable = false;  // it may be that preemptions before it don't matter
    bool open = false;     // it is not known that they do: counted in its objects
    // Of its objects: all accesses before it come before it, as far as that was looked at.
    bool behind_all[2] = {};
  };
  struct Object {
    std::uint32_t last = kNone;
    std::uint32_t last_write = kNone;
    std::uint32_t open = 0;  // accesses of which it is not known that preemptions before them matter
  };

  // Does what comes behind the step `before` in its task come behind `step`?
  bool is_behind(std::uint32_t before, std::uint32_t step);
  // The step that created the task; kNone: it was there at the start, or nobody has.
  std::uint32_t creation_of(TaskId task) const;
  // The last access that is not one of the reads that this task has made in a row, of which `last` may be one. Threads
  // that wait in loops make many.
  std::uint32_t before_reads_of(TaskId task, ObjectId object, std::uint32_t last) const {
    if (last == kNone || steps[last].task != task || steps[last].wrote) return last;
    return steps[last].others_before[steps[last].objects[0] == object ? 0 : 1];
  }

  const Execution* execution = nullptr;
  std::vector<Step> steps;                // of the last execution; there may be room for more
  std::uint32_t count = 0;                // of steps
  std::vector<std::uint32_t> clocks;      // width entries for each step: how many of each task's steps it follows
  std::uint32_t clocks_made = 0;          // of the first so many steps
  std::uint32_t width = 0;                // at least as many as there are tasks
  std::vector<std::uint32_t> last_of;     // by task
  std::vector<std::uint32_t> created_by;  // by task that has made a step: the step that created it
  std::vector<Object> objects;            // by number
  std::vector<std::uint32_t> creating;    // steps that create tasks
  std::uint32_t everything = kNone;       // the last step that is ordered with all others
  std::vector<std::uint32_t> nothing;     // the clock of a task that has done nothing

 private:
  bool is_behind_a_lock(std::uint32_t before, std::uint32_t step) const;
  void make_clock(std::uint32_t step);
  std::uint32_t* clock(std::uint32_t step) { return clocks.data() + std::size_t{step} * width; }
  const std::uint32_t* past_of(std::uint32_t before);
  void join(std::uint32_t step, std::uint32_t earlier);
};

}  // namespace heddle
