// Does a failed check need only time? A test with a deadline of five seconds fails when a thread is five seconds late:
// that may be no bug at all. So behind a search that found such a failure comes a short one in which deadlines pass in
// order (--timeouts=ordered).
#pragma once

#include "cli/run_observer.h"
#include "report/report.h"

namespace heddle::cli {

// Bugs of `report` that don't come up again are marked (Bug::only_time); other bugs that come up are added and
// kept in `first`'s folder. Takes as long as the first search at most, within --time.
void search_in_order(const Target& target, const Settings& settings, const RunObserver& first, Report& report,
                     Terminal& terminal);

}  // namespace heddle::cli
