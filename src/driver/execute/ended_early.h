// Programs that leave nothing to explore: the reason, and what the user can do about it.
#pragma once

#include <string>
#include <string_view>

#include "driver/execute/events.h"

namespace heddle {

// One or more sentences for Report::no_verdict_reason.
std::string explain(const EndedBeforeBranching& event);

// Is this what explain() says of a program that ended well by itself?
bool is_without_threads(std::string_view reason);

// Says that a test framework ran no test at all, if `output` shows it; else empty.
std::string no_test_ran(std::string_view output);

}  // namespace heddle
