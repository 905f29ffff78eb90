// Warns of what a run could not do as asked, and of what may surprise the user. Memory accesses are seen only where the
// program was built with heddle-cc, and --no-preempt may name a place that the program does not have.
#pragma once

#include <string>
#include <vector>

#include "driver/explore/search.h"
#include "report/report.h"
#include "trace/modules.h"

namespace heddle {

// Sentences for the user. `races_expected`: races were asked for, and not only by default. `python`: where a program in
// Python was to have points.
std::vector<std::string> self_check(const Report& report, bool races_expected, PythonPoints python,
                                    const Search& search, const ModuleMap& modules);
// Did an interpreter tell of a script?
bool has_scripts(const ModuleMap& modules);

}  // namespace heddle
