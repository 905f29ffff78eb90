// The bugs of a run as a person wants to read them: those with one cause together, the gravest first.
#pragma once

#include <vector>

#include "report/report.h"

namespace heddle {

struct BugsOfOneCause {
  const Bug* first;                // the gravest, of these the one that was found first
  std::vector<const Bug*> others;  // in the order of discovery
};

// Crashes, failed checks, uses of freed memory and wrong exits come first, then deadlocks, endless loops, misuse of
// pthreads, data races. What is as grave stands in the order of discovery. Bugs without a key (Bug::key) are alone.
// The pointers are into `bugs`.
std::vector<BugsOfOneCause> by_cause(const std::vector<Bug>& bugs);

}  // namespace heddle
