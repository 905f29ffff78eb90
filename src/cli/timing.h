// Does a failed check need only time? A test with a deadline of five seconds fails when a thread is five seconds late:
// that may be no bug at all. So the search that found such a failure is followed by one in which deadlines pass in
// order
// (--timeouts=ordered). In order, all that a thread does takes no time. So a bug that comes behind a sleep of a
// millisecond may seem to need only time, too, and whether it is a failure is for the user to say (TimingBugs).
#pragma once

#include "cli/run_observer.h"
#include "report/report.h"

namespace heddle::cli {

// Bugs of `report` that don't come up again, where everything was run that they could need, are marked
// (Bug::only_time). Those for which the time was too short are marked, too (Bug::perhaps_only_time). Other bugs that
// come up are added and kept in `first`'s folder.
void search_in_order(const Target& target, const Settings& settings, const RunObserver& first, Report& report,
                     Terminal& terminal);

}  // namespace heddle::cli
