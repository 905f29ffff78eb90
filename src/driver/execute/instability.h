// Two executions of one plan that are not the same: where they part, and what may be the reason.
#pragma once

#include <string>
#include <vector>

#include "trace/compare.h"
#include "trace/execution.h"
#include "trace/modules.h"

namespace heddle {

struct Instability {
  Divergence divergence;
  Execution expected, seen;
  ModuleMap modules;
  bool other_process = false;  // the second was run by a process that was started afresh, as a further worker
};

// What the program got that Heddle does not control, up to `step`, the latest first, with its places: "the content of
// /proc/self/stat (3 steps before)". At most a few.
std::vector<std::string> inputs_before(const Execution& execution, std::uint32_t step, const ModuleMap& modules);
// These as a sentence that begins with a space; empty when there are none.
std::string likely_inputs(const Execution& execution, std::uint32_t step, const ModuleMap& modules);

// Reads of the time stamp counter in its code as such a sentence; empty when there are none. Reads its files: not
// cheap.
std::string possible_time_stamps(const Execution& execution, const ModuleMap& modules);

// The note on it.
std::string describe(const Instability& instability);

}  // namespace heddle
