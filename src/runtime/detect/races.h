// Data races: the monitor that feeds the detector (model/race_detector.h) with what instrumented code does and with the
// steps that are taken, and records what it finds. Only this monitor gets these calls: what orders accesses besides
// steps, and the program's annotations. Nothing happens unless the driver asks for race detection and the program is
// instrumented.
//
// The detector's memory is not restored between executions: a number tells each execution from those before. So
// executions under it start from the branching point, never from a checkpoint.
#pragma once

#include <cstddef>
#include <cstdint>

#include "instrument/table.h"
#include "model/ordering.h"
#include "runtime/state/race_watch.h"
#include "runtime/state/runtime.h"
#include "runtime/state/up_calls.h"

namespace heddle::runtime {

// A file that is instrumented has been loaded.
void races_module_loaded();
// All of these may be called at any time.
// An atomic operation of the running task has been performed. `use`: as the weak memory has seen it; null: it has not.
void races_atomic(const instrument::AtomicAccess& access, const model::AtomicUse* use);
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

}  // namespace heddle::runtime
