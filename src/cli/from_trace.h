// Turns a run's settings into a trace and back: what a trace keeps, and how its program runs again in the same
// environment.
#pragma once

#include <string>
#include <vector>

#include "cli/settings.h"
#include "driver/explore/explore.h"
#include "trace/trace_file.h"

namespace heddle::cli {

class PointLines;

// Empty: it is gone.
std::string current_folder();

// The trace of a bug that was just found; outcome, schedule and preemptions come from the bug. `lines`: of the run.
Trace make_trace(const Discovery& discovery, const Target& target, const Settings& settings, PointLines& lines);

// For --like: program, arguments and search settings of the trace at `path`. Empty, or what is wrong.
std::string take_search_of(const std::string& path, Settings& settings);

// For replay: the settings under which the trace came about.
RunOptions options_of(const TraceHeader& header);

// Goes to the trace's folder, gives the environment the trace's variables, and leaves the same descriptors open.
// Returns what there is to say about it.
std::vector<std::string> enter_environment(const TraceHeader& header);

}  // namespace heddle::cli
