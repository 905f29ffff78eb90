// Whether another process makes progress, as /proc shows it.
#pragma once

namespace heddle::runtime {

struct Progress {
  bool alive = false;  // it, or what it has started, has not ended
  bool busy = false;   // it, or what it has started, runs or waits for a disk
  bool awake = false;  // one of these is alive and does not rest
  long ticks = 0;      // of the processor that all of these have used; 100 in a second
  long turns = 0;      // how often those came onto a processor that do not rest
};

// Does the process keep the model, can it go on only by what others do or when its time comes, and has it looked since
// anybody did anything? (relatives.h)
bool rests(int process);

// Of `process` alone.
Progress progress_of_one(int process);
// Of `process` and of all that it has started.
Progress progress_of(int process);
// Of all that the calling kernel thread and the first of the process have started.
Progress progress_of_children();

}  // namespace heddle::runtime
