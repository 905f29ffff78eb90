// Finds services that nobody has declared: in an execution that went on to its limit of steps, threads that do nothing
// any more but wake by their time, go through rounds that they have gone through before, and let no other thread go on.
//
// What they keep in memory may change with each round (a count, the time), so no state comes again and nothing is
// proved: they might let somebody go on after yet more rounds. So many steps must show it (kSeenServiceSteps).
#pragma once

#include <optional>
#include <set>
#include <vector>

#include "protocol/operations.h"
#include "trace/execution.h"

namespace heddle {

struct SeenServices {
  std::vector<TaskId> tasks;
  std::set<Site> places;  // where they wait for a time
  std::size_t steps = 0;  // at the end, that nobody else has taken one
};

// Nothing: the last half of the execution, or more, is not theirs alone; it has too few steps; or nobody else waits for
// ever, but for one of these threads.
std::optional<SeenServices> seen_services(const Execution& execution);

}  // namespace heddle
