// The call stack of every step (`heddle show --stacks`): each thread's calls of the user's own code, innermost first,
// with inlined functions. Stacks are recorded in the replay that each bug gets, not in the search.
#pragma once

#include <string>

#include "analysis/names.h"
#include "report/wording.h"

namespace heddle {

std::string call_stacks(const Execution& execution, Names& names, const Style& style);

}  // namespace heddle
