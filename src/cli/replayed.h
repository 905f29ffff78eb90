// A trace that is run again: what `heddle replay` and `heddle debug` share.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/names.h"
#include "analysis/script_view.h"
#include "analysis/symbolizer.h"
#include "cli/judge_replay.h"
#include "cli/settings.h"
#include "driver/execute/replay.h"
#include "driver/target/target.h"
#include "trace/trace_file.h"

namespace heddle::cli {

// What is to be run, and how.
struct PreparedReplay {
  Target target;
  RunOptions options;
  bool rebuilt = false;            // the program is not the one of the trace
  std::vector<std::string> notes;  // what there is to be said about that
  std::string error;               // it can't be run, and why; empty: it can
};

// Goes to the trace's folder and environment. Of the settings, those count that were given on the command line.
PreparedReplay prepare_replay(const Trace& trace, const Settings& settings);

// Runs it in a fresh process.
class Replayed {
 public:
  Replayed(const Trace& trace, const PreparedReplay& prepared, const Plan& plan);
  Replayed(const Replayed&) = delete;
  Replayed& operator=(const Replayed&) = delete;

  // Empty: there is an execution, which is judged; else why there is none.
  const std::string& problem() const { return result_.problem; }
  bool ran() const { return result_.execution.has_value(); }
  const std::vector<std::string>& notes() const { return result_.notes; }
  // The following need an execution.
  const Execution& execution() const { return view_->execution(); }
  const Outcome& outcome() const { return result_.outcome; }  // its message has names and places
  const Judgement& judgement() const { return judgement_; }
  Names& names() { return *names_; }

 private:
  ReplayResult result_;
  Symbolizer symbolizer_;
  std::optional<ScriptView> view_;
  std::optional<Names> names_;
  Judgement judgement_{};
};

}  // namespace heddle::cli
