// A monitor watches an execution from inside the target. Each has a file with a `const Monitor`; the table is
// protocol/monitors.h, which says how to add one. Its state is kept in a class of src/model, which can be tested
// without a thread; the file here only feeds that class and records what it finds (ring/recorder.h). src/analysis, on
// the driver's side, judges the record of a finished execution.
//
// A monitor's memory is ordinary memory of the runtime: on a snapshot it is restored at the end of an execution, and
// goes back with a checkpoint. If it keeps memory of its own (HEDDLE_PERMANENT), it begins each execution anew and
// turns checkpoints off, as the race detector does.
#pragma once

#include <cstddef>
#include <cstdint>

#include "instrument/table.h"
#include "model/ordering.h"
#include "runtime/state/monitoring.h"
#include "runtime/state/runtime.h"
#include "runtime/state/up_calls.h"

namespace heddle::runtime {

// A plain access of instrumented code that is about to be made by the running task.
struct PlainAccess {
  const void* address;
  std::size_t size;
  bool write;
  const void* caller;
};

// What is null does nothing. All are called in the process that runs the execution, for tasks that Heddle schedules.
struct Monitor {
  // Before executions, if the driver asks for it. Nothing is recorded yet: what can't be made is noticed by begin().
  void (*prepare)() = nullptr;
  // At the beginning of an execution. False: it can't take part in this one, and has said why (note()).
  bool (*begin)() = nullptr;
  // Another task goes on.
  void (*on_switch)(TaskId next) = nullptr;
  // A step has been taken.
  void (*on_step)(const model::TakenStep& step, Site site) = nullptr;
  // Asked for at the beginning only: accesses are passed on if somebody has this.
  void (*on_access)(const PlainAccess& access) = nullptr;
  // These bytes begin a new life: a block has been allocated, a stack is used by another task.
  void (*on_allocated)(const void* address, std::size_t size) = nullptr;
  // The program is about to give a block back.
  void (*on_freed)(const void* memory, std::size_t size, const void* caller) = nullptr;
  // The execution is over; what is recorded here is part of it.
  void (*on_end)() = nullptr;
  // This is a child that the program has forked: nothing more is to be watched.
  void (*leave)() = nullptr;
};

#define HEDDLE_DECLARE(name, word, says) extern const Monitor k##name##Monitor;
HEDDLE_MONITORS(HEDDLE_DECLARE)
#undef HEDDLE_DECLARE

// At branching, and at the beginning and the end of each execution.
void prepare_monitors();
void begin_monitors();
void end_monitors();
// This process has no monitors any more: a child that the program has forked.
void leave_monitors();

// For the scheduler, while monitored().
void monitor_switch(TaskId next);
void monitor_step(const model::TakenStep& step, Site site);

}  // namespace heddle::runtime
