// The explore loop: it takes plans from the search to the worker, and executions from the worker to the search and to
// the judgement of bugs. It ends when nothing is left or a stop rule applies.
#pragma once

#include "driver/explore/observer.h"
#include "driver/target/options.h"
#include "driver/target/target.h"
#include "report/report.h"

namespace heddle {

class SavedSearch;

// `saved`: where the search is kept while it runs (may be null); if it was loaded, it is gone on with.
Report run(const Target& target, const RunOptions& options, Observer& observer, SavedSearch* saved = nullptr);

}  // namespace heddle
