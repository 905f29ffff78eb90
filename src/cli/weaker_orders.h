// Which memory orders could be weaker (--relax)? When a run under --memory has found nothing, one order after the other
// is weakened in the model, and the test is searched again up to a bound. An order stays weaker where everything still
// passes, so what is found holds for all of them together. Another sequence may give another result.
#pragma once

#include "driver/explore/explore.h"
#include "report/report.h"

namespace heddle::cli {

// Fills in Report::weaker_orders, with --relax.
void search_for_weaker_orders(const Target& target, const RunOptions& options, double seconds_left, Report& report);

}  // namespace heddle::cli
