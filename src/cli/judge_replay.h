// Did a replay reproduce the bug of its trace?
#pragma once

#include <string>

#include "analysis/names.h"
#include "cli/exit_status.h"
#include "driver/execute/replay.h"
#include "trace/trace_file.h"

namespace heddle::cli {

struct Judgement {
  ExitStatus status;
  std::string text;
};

// `rebuilt`: the program is not the one of the trace, and may do other things. Then a bug counts as the same if it is
// reported in the same words, but for places and addresses. `names`: of the result's execution, whose outcome has its
// message with names and places, as that of the trace.
Judgement judge_replay(const Trace& trace, const ReplayResult& result, bool rebuilt, CarrierKind carrier, Names& names);

// Was any of these files compiled with heddle-cc, so that its accesses to memory are seen?
bool any_instrumented(const ModuleMap& modules);

// Are these about one bug, as far as words tell? Places in files and addresses may differ.
bool same_in_words(const std::string& one, const std::string& other);

}  // namespace heddle::cli
