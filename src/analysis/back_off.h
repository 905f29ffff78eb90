// Livelocks that are nobody's bug. std::lock() and std::scoped_lock take one lock, then try the others. When a try
// fails, they begin again with another lock. Two threads that are stopped at the worst place in each round go round for
// ever. The standard promises no more, and a program can do nothing about it.
#pragma once

#include "analysis/symbolizer.h"
#include "trace/execution.h"

namespace heddle {

// Is every step of the execution's proved loop made by such a function? By the call stacks of the steps: without them
// it is not known, and false.
bool only_lock_algorithms_go_round(const Execution& execution, Symbolizer& symbolizer);

// Is there a thread that is woken for a lock of a library in every round of the proved loop, and finds it taken again?
// Such a lock (GLib's GMutex) is free for whoever comes first, so a thread that unlocks it and locks it again at once
// may have it again for ever. Once the other one is in time, the loop may end. By the call stacks, as above.
bool comes_too_late_for_a_lock(const Execution& execution, Symbolizer& symbolizer);

}  // namespace heddle
