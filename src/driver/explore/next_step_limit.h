// When a search begins anew with another limit of steps: it falls where the program may never end, and grows again
// where a search has nothing left to run, or has proved enough (driver/execute/step_limit.h).
#pragma once

#include <optional>
#include <string>

#include "driver/execute/step_limit.h"
#include "driver/explore/search.h"
#include "driver/target/options.h"
#include "report/report.h"
#include "trace/execution.h"

namespace heddle {

// Was the first schedule of a search cut off, however far the limit rose? Never where the user wants to see long ones:
// by --max-steps, or to have loops reported as bugs.
bool shows_no_end(const Execution& first, const RunOptions& options, const Search& search, const StepLimit& limit);

struct NextStepLimit {
  StepLimit limit;
  std::string why;
};
// `report`: on the present search. `at_end`: it has nothing more to run.
std::optional<NextStepLimit> next_step_limit(const StepLimit& present, const Report& report, const Search& search,
                                             bool at_end);

}  // namespace heddle
