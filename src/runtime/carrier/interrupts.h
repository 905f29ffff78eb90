// Runs interrupts of a task on its own stack: signal handlers (world/signals/deliver.h) and the unwinding of a
// cancelled thread. The model says when (model/interrupts.cpp).
#pragma once

#include "runtime/state/runtime.h"

namespace heddle::runtime {

// For calls by which a task changes its own attitude: follows what is due now, without a step.
void follow_cancellation();

// From here on the running task is on its way out and follows no further cancellation.
void begin_unwinding();

}  // namespace heddle::runtime
