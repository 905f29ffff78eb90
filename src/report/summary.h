// What `heddle run` prints when it is done: the bugs, one block each, and what was proved. Notes are printed earlier,
// as they arise.
#pragma once

#include <string>

#include "report/report.h"
#include "report/wording.h"

namespace heddle {

// One bug: what happened, where, how to see and repeat it. `baseline`: the file that knows it, if one does.
std::string bug_block(const Bug& bug, const Style& style, const std::string& baseline = {});

// The whole text, bug blocks included. `brief`: of what was proved, one line.
std::string summary(const Report& report, const Style& style, bool brief = false);

}  // namespace heddle
