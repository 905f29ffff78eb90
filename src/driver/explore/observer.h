// Whoever wants to see a run while it happens: the command line, tests.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "protocol/shared.h"
#include "report/report.h"
#include "trace/code_place.h"
#include "trace/modules.h"
#include "trace/plan.h"

namespace heddle {

struct Progress {
  Coverage coverage;
  std::optional<Estimate> estimate;
  std::uint64_t schedules = 0;
  std::uint64_t distinct = 0;  // of them, up to the order of independent steps
  double seconds = 0;          // since branching began
  double seconds_left = 0;
  double schedules_per_second = 0;  // of late
  std::size_t bugs = 0;
};

// A new bug, already replayed, on its way into the report.
struct Discovery {
  Bug& bug;                  // the observer sets site, trace_path …
  const Plan& plan;          // dense: every choice of bug.execution
  const ModuleMap& modules;  // of the process that ran bug.execution
  const Config& config;
  const std::vector<CodePlace>& points;        // see RunOptions
  const std::vector<SpinLoop>& spins;          // likewise
  bool own_folder;                             // a replay is to run in a scratch folder
  const std::vector<std::string>& made_files;  // by the program in the present folder, before its first thread
};

// Whoever wants to see a run while it happens. All calls come from run(), on its thread.
class Observer {
 public:
  virtual ~Observer() = default;
  virtual void on_progress(const Progress&) {}  // about ten times a second
  virtual void on_note(const std::string&) {}   // once per note, as it arises; Report::notes holds them all
  virtual void on_bug(const Discovery&) {}
  // Of each schedule that came. `modules`: the files that were loaded.
  virtual void on_schedule(const Execution&, const std::function<ModuleMap()>& /*modules*/) {}
  // Where bugs are kept, if there is such a place by now.
  virtual std::string output_folder() const { return {}; }
  virtual void on_output(std::string_view) {}  // --output=all: what one execution printed
};

}  // namespace heddle
