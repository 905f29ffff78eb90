// Yields of loops that are about to sleep. The waits of the C++ library (std::counting_semaphore, std::latch,
// std::atomic::wait …) yield four times before they wait on a futex. They stand in its headers. Where those are not
// instrumented, such a loop looks like one that can only wait by yielding. Fairness would hold it back after these
// yields, and nobody would come to sleep before all others have to wait.
#pragma once

#include "protocol/operations.h"

namespace heddle::runtime {

// At the branching point: which of the loaded files of the program bring such loops? Those that call both sched_yield
// and syscall.
void find_sleeping_loops();
// A yield of the program. In such a file fairness does not count the first four since another task has made a step; and
// of those in a row with nothing between them only the first is a step, since to switch at another makes no difference.
void yield(Site site);

}  // namespace heddle::runtime
