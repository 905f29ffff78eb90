// Trace files: one execution with everything that is needed to run it again, as JSON lines that people can read.
//
// Line 1 is the header (the program and how it was run, the settings, the complete plan, the outcome). Then one line
// per task, object, message and step in the order in which they happened, one per pending operation, and a last line
// that says how the execution ended and how many lines there are: a trace that was cut off or edited is noticed. A call
// stack has a line of its own before the first step that names it; {"repeat":P,"times":N} stands for N repetitions of
// the last P steps (livelocks are long and dull). Code and data addresses are written as "module+0xoffset", the module
// being one of the header's.
//
// Not kept: Execution::changes (who was enabled at every decision) and the program's output; a replay gives both.
// Raise kTraceFormat when a reader of the old format would misunderstand the new one.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "protocol/scripts.h"
#include "protocol/shared.h"
#include "protocol/timeouts.h"
#include "trace/code_place.h"
#include "trace/execution.h"
#include "trace/modules.h"
#include "trace/moment.h"
#include "trace/placed_delta.h"
#include "trace/plan.h"
#include "trace/source_line.h"

namespace heddle {

inline constexpr int kTraceFormat = 1;

using NamedText = std::pair<std::string, std::string>;

// How an execution came about: what a replay needs besides the plan.
struct TraceHeader {
  std::string heddle_version;
  std::string program;                 // absolute path
  std::string invoked_as;              // as the user wrote it
  std::string build_id;                // of the program, lower-case hex; empty: it has none
  std::vector<std::string> arguments;  // without the program itself
  std::string directory;               // working directory
  std::vector<NamedText> environment;  // variables that matter (matters()), by name
  // Beyond the first three, which the program got from whoever started Heddle; nothing: it is older than that.
  std::optional<std::vector<int>> descriptors;
  CarrierKind carrier = CarrierKind::Fiber;
  IsolationKind isolation = IsolationKind::Fork;
  ClockKind clock = ClockKind::Virtual;
  Nanoseconds realtime_start = 0;
  Nanoseconds monotonic_start = 0;
  std::uint64_t input_seed = 0;
  std::uint32_t processors = 0;
  std::uint32_t max_steps = 0;
  Timeouts timeouts = Timeouts::Early;
  bool fair = true;
  bool slow_threads = false;
  std::uint32_t spurious_wakeups = 0;
  MemoryModel memory = MemoryModel::Sc;
  std::uint32_t max_stale = 0;
  Fill fill = Fill::Left;
  bool patch = false;
  std::string start_at;
  std::string target;
  PythonPoints python = PythonPoints::No;
  bool follow_fork = false;
  bool own_folder = false;  // it ran in a scratch folder; else in `directory`. So does a replay
  // What the program made in the present folder before its first thread: another start is not to find it there.
  std::vector<std::string> made_files;
  std::vector<int> ok_exit;
  std::vector<NamedText> search;  // options of the search that differ from their defaults (`heddle run --like`)
  std::uint64_t schedule = 0;     // its number in that search, from 1
  unsigned preemptions = 0;
  std::uint32_t point_set_version = 0;
  std::vector<CodePlace> points;        // places whose accesses race: scheduling points (addresses as in `modules`)
  std::vector<SourceLine> point_lines;  // what is there, one for each of `points`; or none
  std::vector<SpinLoop> spins;          // loops that count as yielding (addresses as in `modules`)
  std::vector<SourceLine> spin_lines;   // as point_lines
  std::string outcome_kind;             // "deadlock" …
  std::string outcome_message;
  std::string outcome_cause;               // in words that survive moved lines
  std::string outcome_repair;              // which memory orders to strengthen; empty: none is known
  std::string outcome_key;                 // and a short word for it; empty: the trace is older than these
  std::vector<SourceLine> outcome_places;  // where it shows; or none
  // What of its schedule is not the default, by place; nothing: the trace is older than that, or there is too much.
  std::optional<std::vector<PlacedDelta>> placed_deltas;
  Moment moment;
};

struct Trace {
  TraceHeader header;
  Plan plan;
  ModuleMap modules;
  std::vector<std::string> module_build_ids;  // one per entry of `modules`, or none
  Execution execution;
};

// Does a variable of the environment change how a program behaves, so that it is kept in traces?
bool matters(std::string_view variable);
// Those of `environment` (NAME=value, ending with null) that matter, by name.
std::vector<NamedText> environment_that_matters(const char* const* environment);

std::string format_trace(const Trace& trace);
// Empty, or a sentence that says what went wrong; a trace is never left half written.
std::string write_trace(const std::string& path, const Trace& trace);

struct ReadTrace {
  std::optional<Trace> trace;
  std::string error;  // one sentence with the remedy, when `trace` is empty
};
ReadTrace parse_trace(std::string_view text, const std::string& path);
ReadTrace read_trace(const std::string& path);

}  // namespace heddle
