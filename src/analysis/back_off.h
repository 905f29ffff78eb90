// Livelocks that are nobody's bug: std::lock() and std::scoped_lock take one lock, try the others, and begin again with
// another one when that fails. Two threads that are stopped in every round where it hurts most go round for ever; the
// standard promises no more. What a program may do about it is nothing.
#pragma once

#include "analysis/symbolizer.h"
#include "trace/execution.h"

namespace heddle {

// Is every step of the execution's proved loop made by such a function? By the call stacks of the steps: without them
// it is not known, and false.
bool only_lock_algorithms_go_round(const Execution& execution, Symbolizer& symbolizer);

}  // namespace heddle
