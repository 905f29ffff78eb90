// Which memory orders are too weak? For a bug that needs an old value (--memory), the search is run again with orders
// strengthened in the model, without a rebuild, within the same bounds. What is left when no order can be given up
// again is a repair. There may be others.
#pragma once

#include <vector>

#include "analysis/names.h"
#include "driver/explore/explore.h"
#include "report/report.h"

namespace heddle::cli {

// The atomic operations of an execution whose order could be stronger, each place once.
std::vector<AtomicPlace> weak_places(const Execution& execution, Names& names);

// Fills in Bug::repair where one is found in a quarter of the time so far, from 2 s to 10 s, and before --time is over.
void search_for_repairs(const Target& target, const RunOptions& options, double seconds_left, Report& report);

}  // namespace heddle::cli
