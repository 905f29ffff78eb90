// An execution for a debugger that runs it again, as JSON: its names, its steps, and why it failed. gdb/heddle_gdb.py
// reads it.
#pragma once

#include <string>

#include "analysis/names.h"
#include "analysis/outcome.h"
#include "trace/moment.h"

namespace heddle {

struct DebugSession {
  std::string program;  // the file
  std::string wrapper;  // the command that a debugger puts before it, for a shell
  OutcomeKind kind = OutcomeKind::Ok;
  std::string message;  // the outcome's, with names
  std::string why;      // the same section of the page, as text
  Moment moment;
};

std::string debug_session(const DebugSession& session, const Execution& execution, Names& names);

// The step that matters most: the one that decides; else the last one before what went wrong that a thread was
// preempted for, or a timeout out of its order; else the last one before it.
std::size_t step_to_stop_at(OutcomeKind kind, const Execution& execution, const Moment& moment);

}  // namespace heddle
