// The report of a run before anything was run.
#pragma once

#include "driver/target/options.h"
#include "report/report.h"

namespace heddle {

Report new_report(const RunOptions& options);

}  // namespace heddle
