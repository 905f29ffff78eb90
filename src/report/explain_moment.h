// Plain words on when a failure became likely (trace/moment.h).
#pragma once

#include <vector>

#include "analysis/names.h"
#include "report/document.h"
#include "trace/moment.h"

namespace heddle {

// Which step decides or makes it likely, what share of random continuations fails before and after it, and where the
// nearest schedule that passes goes another way. Empty where no step decides and not most schedules fail.
Paragraph when_it_became_likely(const Moment& moment, const Execution& execution, Names& names);

// "decides", or "makes it likely" where it leaves a way out.
const char* what_it_does(const Moment::Decisive& decisive);

// The steps that these words name: a page shows them, each in a line of its own.
std::vector<std::uint32_t> steps_named(const Moment& moment, const Execution& execution);

}  // namespace heddle
