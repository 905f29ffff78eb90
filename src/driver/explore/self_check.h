// What a run could not do as it was asked to, and what the user may not expect: the memory accesses of the program are
// seen only where it was built with heddle-cc; a place that --no-preempt names may be none.
#pragma once

#include <string>
#include <vector>

#include "analysis/no_preempt.h"
#include "report/report.h"
#include "trace/modules.h"

namespace heddle {

// Sentences for the user. `races_expected`: races were asked for, and not only by default.
std::vector<std::string> self_check(const Report& report, bool races_expected, const NoPreempt& no_preempt,
                                    const ModuleMap& modules);

}  // namespace heddle
