// What comes after the failure: the rest of the test, what its framework does then, other tests, handlers of exit(). It
// does not explain the failure, so a page that fits a screen leaves it out.
#pragma once

#include <cstddef>
#include <string>

#include "analysis/names.h"
#include "analysis/outcome_kind.h"
#include "report/document.h"

namespace heddle {

// So many steps of the execution came before the failure was known; all, where nobody can tell. `message`: the
// outcome's. A failure is known that a test framework has printed, with its place, or that the exit status tells.
std::size_t steps_before_aftermath(OutcomeKind kind, const std::string& message, const Execution& execution,
                                   Names& names);

// "then 14 steps after the failure …": as a line of the story, before those that say how it ended.
void add_aftermath(Story& story, std::size_t steps);

}  // namespace heddle
