// The race detector of this process, and whatever orders accesses besides steps and atomic operations. races.h says
// what the functions mean and who calls them; here are those that other parts of the detection need, too.
#pragma once

#include "model/race_detector.h"
#include "runtime/state/race_watch.h"
#include "runtime/state/runtime.h"
#include "runtime/state/stacks.h"

namespace heddle::runtime {

struct PermanentDetector {
  model::RaceDetector* detector = nullptr;  // null: nobody has looked for races yet
};
extern PermanentDetector permanent_detector;

// Are the accesses of the running thread looked at?
inline bool is_watched() { return thread_pointer() == race_watch.thread_pointer; }

// Only where is_watched(). By the running task: what has been released at this address comes before what it does now;
// what it has done comes before whoever acquires it.
void order_acquire(const void* address);
void order_release(const void* address);

// These may be called at any time.
// `task` exists; what its creator has done comes before it.
void race_new_task(TaskId task, TaskId creator);
// What `from` has done comes before what `to` does.
void race_pass_on(TaskId from, TaskId to);

}  // namespace heddle::runtime
