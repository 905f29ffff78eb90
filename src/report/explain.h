// What went wrong in an execution, in plain words for somebody who knows nothing of Heddle.
#pragma once

#include <string>
#include <vector>

#include "analysis/names.h"
#include "analysis/outcome.h"
#include "report/document.h"

namespace heddle {

// The outcome's message with names and places instead of numbers.
std::string explained_message(const Outcome& outcome, const Execution& execution, Names& names);

// Where the bug shows: the place of the task that failed, of the first blocked one; empty when unknown.
Span place_of(const Outcome& outcome, const Execution& execution, Names& names);

// Each timeout that fired before what went wrong was there: "worker's wait on changed at watchdog.c:12".
std::vector<Prose> timeouts_fired(OutcomeKind kind, const Execution& execution, Names& names);
// The threads that are slow in it, and where.
std::vector<Prose> slow_threads(OutcomeKind kind, const Execution& execution, Names& names);

// Of a deadlock: when each condition variable that threads wait on was signalled last. May be empty.
Paragraph last_signals(OutcomeKind kind, const Execution& execution, Names& names);

// What happened, and what the recorded facts say about why.
Paragraph what_went_wrong(OutcomeKind kind, const std::string& message, const Execution& execution, Names& names);

// Where threads wait for each other for ever: who for whom. Without edges, where that is not so, and where the picture
// would be too large.
WaitGraph wait_graph(const Execution& execution, Names& names);

}  // namespace heddle
