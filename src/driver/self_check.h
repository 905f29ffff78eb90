// Whether a run could see what it was asked to look at: the memory accesses of the program are seen only where it was
// built with heddle-cc.
#pragma once

#include <string>

#include "report/report.h"
#include "trace/modules.h"

namespace heddle {

// One sentence for the user; empty: there is nothing to say that the last sentence does not say.
// `asked_for`: the user does expect races to be looked for.
std::string left_unchecked(const Report& report, bool asked_for, const ModuleMap& modules);

}  // namespace heddle
