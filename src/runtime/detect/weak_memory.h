// Atomic operations under --memory=tso and rc11: what goes between them and the model (model/weak_memory.h). It belongs
// to the race detector, by whose clocks it knows what happens before what.
#pragma once

#include "instrument/table.h"
#include "model/weak_memory.h"
#include "runtime/state/runtime.h"

namespace heddle::runtime {

// By the race detector: once, and at the beginning of each execution. False: there is no address space.
bool make_weak_memory(model::Reserve reserve, model::VectorClocks& clocks);
void begin_weak_memory();
// At the end of one: says what was left out.
void end_weak_memory();

// Do loads of the running task read old values?
inline bool has_weak_memory() { return runtime.world->weak_memory != nullptr; }

// What the model wants to know of the operation. The access must outlive it.
struct WeakUse : model::AtomicUse {
  explicit WeakUse(instrument::AtomicAccess& access);
  // Performs the access for `task`, which takes its step, in the way `variant`.
  void perform(TaskId task, Variant variant);

 private:
  instrument::AtomicAccess& access_;
};

}  // namespace heddle::runtime
