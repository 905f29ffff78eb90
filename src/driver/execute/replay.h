// One plan, run once in a fresh process: for `heddle replay`, and to confirm a bug that was just found.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/outcome.h"
#include "driver/target/options.h"
#include "driver/target/target.h"
#include "trace/modules.h"
#include "trace/plan.h"

namespace heddle {

struct ReplayResult {
  std::optional<Execution> execution;  // empty: it did not come to one, `problem` says why
  Outcome outcome;                     // of `execution`
  ModuleMap modules;
  Config config;
  std::string problem;
  std::vector<std::string> notes;
};

// Takes what the program sees (realtime_start, processors …) and the control settings from `options`; the search
// settings don't matter. `own_folder`: in a scratch folder, as the execution was that it is to repeat; else in the
// present one. Compare the steps with trace/compare.h.
ReplayResult replay(const Target& target, const RunOptions& options, const Plan& plan, bool own_folder);

// The same for a debugger, which has started the calling process: makes it the program, with nobody to read what it
// records (protocol/debugger.h). Returns only if that fails: why.
std::string become_replay(const Target& target, const RunOptions& options, const Plan& plan, bool own_folder);

// Every choice of `execution` as a plan, so that it depends on no default and no policy. Falls back to `original` (of
// which `execution` came) when there are more steps than one plan can carry.
Plan dense_plan(const Execution& execution, const Plan& original);

}  // namespace heddle
