// The bugs of a suite under one number each: links bug-1.trace, bug-2.trace … in the suite's folder lead to those of
// its tests. So whatever takes the number of a bug of the latest run, or a run's folder, finds them (find_trace.h).
#pragma once

#include <string>
#include <vector>

#include "cli/reported_bugs.h"

namespace heddle::cli {

// `folder`: of the suite. The first bug has the number 1. Empty, or why a link could not be made.
std::string link_bugs(const std::string& folder, const std::vector<ReportedBug>& bugs);

}  // namespace heddle::cli
