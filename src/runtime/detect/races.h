// Data races: feeds the detector (model/race_detector.h) with what instrumented code does and with the steps that are
// taken, and records what it finds. Nothing of this happens unless the driver asks for it and the program is
// instrumented.
//
// The detector's memory is not put back between executions: it begins each anew by a number. So executions under it
// start from the branching point, never from a checkpoint.
#pragma once

#include <cstddef>
#include <cstdint>

#include "instrument/table.h"
#include "model/ordering.h"
#include "runtime/state/runtime.h"

namespace heddle::runtime {

// What every access looks at. `thread_pointer` is that of the task that runs, or 0: nobody looks for races now. So
// threads that Heddle does not schedule are told apart, too.
struct RaceWatch {
  std::uint64_t thread_pointer = 0;
  const std::uint16_t* ignored = nullptr;  // TaskData::races_ignored of the task that runs
  std::uint32_t accesses_left = 0;  // until it is suspected that a loop waits for a plain variable (model/plain_loop.h)
};
extern RaceWatch race_watch;
inline bool looks_for_races() { return __builtin_expect(race_watch.thread_pointer != 0, 0); }

// Before executions: makes the detector, if it is wanted.
void prepare_races();
// At the beginning of an execution, in the process that runs it.
void begin_races();
// A file that is instrumented has been loaded.
void races_module_loaded();
// This process does not look for races any more: a child that the program forked.
inline void leave_races() { race_watch.thread_pointer = 0; }

// For the scheduler, while looks_for_races().
void race_switch(TaskId next);  // who goes on behind this
void race_step(const model::TakenStep& step, Site site);

// All others may be called at any time.
// `task` exists; what its creator has done comes before it.
void race_new_task(TaskId task, TaskId creator);
// What `from` has done comes before what `to` does.
void race_pass_on(TaskId from, TaskId to);
// An atomic operation of the running task has been performed.
void races_atomic(const instrument::AtomicAccess& access);
void races_fence(instrument::MemoryOrder order);
void races_volatile(const void* address, std::size_t size, bool write, const void* caller);
void races_acquire(const void* address);
void races_release(const void* address);
void races_benign(const void* address, std::size_t size);
// Around a call of a library's function that runs the initializer of this object, or waits for it. Entering gives back
// the object of the call within which that is, which leaving wants.
const void* races_enter_once(const void* object);
void races_leave_once(const void* object, const void* before);
// The running task has taken signals by a descriptor.
void races_signals_taken();
// The running task's plain reads or writes are not looked at, between as many beginnings as ends.
void races_ignore(bool writes, bool begin);
// These bytes begin a new life: a block has been allocated, a stack is used by another task.
void races_forget(const void* address, std::size_t size);
// A block is about to be given back. Told of only where instrumented code does it, and not for a library that is none
// (callbacks.h): of what synchronizes inside of such a library, and orders this, nothing is known.
void races_free(const void* memory, std::size_t size, const void* caller);

}  // namespace heddle::runtime
