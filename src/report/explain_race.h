// Plain words on a data race: the two accesses with their call stacks, what they access, which locks were held, and why
// nothing orders them.
#pragma once

#include <string>

#include "analysis/names.h"

namespace heddle {

// One line. The execution has one race, the one in question.
std::string race_sentence(const Execution& execution, Names& names);
std::string about_race(const Execution& execution, Names& names);
// Of the later access.
Location race_location(const Execution& execution, Names& names);

}  // namespace heddle
