// `heddle replay`: runs the schedule of a trace once more and says whether the bug comes again.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "analysis/names.h"
#include "analysis/symbolizer.h"
#include "cli/bug_places.h"
#include "cli/command.h"
#include "cli/find_trace.h"
#include "cli/from_trace.h"
#include "cli/judge_replay.h"
#include "cli/options.h"
#include "cli/point_lines.h"
#include "cli/rebuilt.h"
#include "cli/trust.h"
#include "driver/execute/replay.h"
#include "driver/process/scratch.h"
#include "report/explain.h"
#include "report/wording.h"

namespace heddle::cli {
namespace {

ExitStatus wrong_use(Terminal& terminal, const std::string& message) {
  terminal.message(message);
  return ExitStatus::WrongUse;
}

// The trace's settings; what is given on the command line wins.
RunOptions options_for(const Trace& trace, const Settings& settings) {
  RunOptions options = options_of(trace.header);
  const auto given = [&](const char* name) {
    return std::find(settings.given.begin(), settings.given.end(), name) != settings.given.end();
  };
  if (given("--carrier")) options.carrier = settings.run.carrier;
  if (given("--ok-exit")) options.ok_exit = settings.run.ok_exit;
  options.execution_timeout_s = settings.run.execution_timeout_s;
  options.output = settings.run.output;
  return options;
}

// Where the accesses that raced are in the program as it is now.
std::vector<CodePlace> points_of_build(const Trace& trace, const std::vector<std::string>& rebuilt,
                                       Terminal& terminal) {
  FoundPoints found = points_in_builds(trace.header, rebuilt);
  if (found.missing != 0)
    terminal.message(fmt::format("of {} where accesses raced, {} not found in what was rebuilt",
                                 counted(trace.header.points.size(), "place"),
                                 found.missing == 1 ? "one is" : fmt::format("{} are", found.missing)));
  return std::move(found.points);
}

// Is the result reported as the trace's bug is, and at the same places?
bool is_reported_alike(const Trace& trace, const ReplayResult& result, Names& names, bool at_same_places) {
  return same_in_words(trace.header.outcome_message, explained_message(result.outcome, *result.execution, names)) &&
         (!at_same_places ||
          same_places(trace.header.outcome_places, places_of(result.outcome, *result.execution, names)));
}

// As if the execution had this race only.
void take_only(ReplayResult& result, const ExecutionRace& which) {
  result.execution->races = {which};
  result.outcome = race_outcome(result.execution->races.front());
}

// A trace of a data race: it has come again if this execution has it, however it ended. Of another build, the places
// are elsewhere: then it is the one that is reported in the same words, at lines of the same text if there is one.
void take_race(const Trace& trace, ReplayResult& result, bool rebuilt, Symbolizer& symbolizer,
               const std::string& folder) {
  if (!is_of_accesses(trace.header.outcome_kind) || trace.execution.races.empty()) return;
  if (!rebuilt) {
    const ExecutionRace* const race =
        same_race(*result.execution, result.modules, trace.execution.races[0], trace.modules);
    if (race != nullptr) take_only(result, *race);
    return;
  }
  const std::vector<ExecutionRace> races = result.execution->races;
  const Outcome without = result.outcome;
  for (const bool at_same_places : {true, false})
    for (const ExecutionRace& race : races) {
      take_only(result, race);
      Names names(*result.execution, symbolizer, folder);
      if (is_reported_alike(trace, result, names, at_same_places)) return;
    }
  if (!races.empty() && !is_bug(without.kind)) return take_only(result, races.front());
  result.execution->races = races;
  result.outcome = without;
}

void show_output(const ReplayResult& result, const Settings& settings, Terminal& terminal) {
  const std::string& output = result.execution->output;
  if (settings.run.output == OutputMode::None || output.empty()) return;
  terminal.result("Output of the program:\n" + indented(output, "  ") + "\n");
}

ExitStatus replay_trace(const Trace& trace, const std::string& path, const Settings& settings, Terminal& terminal) {
  const std::string again =
      fmt::format("to search again with the same settings: heddle run --like={}", shell_quoted(path));
  for (const std::string& note : enter_environment(trace.header)) terminal.message(note);
  const std::vector<std::string> rebuilt_now = rebuilt_files(trace);
  const bool rebuilt = !rebuilt_now.empty();
  if (rebuilt)
    terminal.message(were_rebuilt(trace, rebuilt_now) + " since the trace was made; trying its schedule all the same");
  RunOptions options = options_for(trace, settings);
  if (rebuilt) options.points = points_of_build(trace, rebuilt_now, terminal);
  if (rebuilt) options.spins.clear();  // where they are now is not known; the plan says who goes on
  auto target = inspect_target(options);
  if (const auto* error = std::get_if<TargetError>(&target)) return wrong_use(terminal, error->message);
  for (const std::string& name : trace.header.made_files) std::get<Target>(target).folder.erase(name);
  remove_stale_scratch();
  ReplayResult result = heddle::replay(std::get<Target>(target), options, trace.plan, trace.header.own_folder);
  for (const std::string& note : result.notes) terminal.message(note);
  if (!result.execution) {
    terminal.result(fmt::format("no verdict: {}\n", result.problem));
    return ExitStatus::NoVerdict;
  }
  // With names and places, as the search and `heddle show` say it.
  Symbolizer symbolizer(result.modules);
  std::error_code error;
  const std::string folder = std::filesystem::current_path(error).string();
  take_race(trace, result, rebuilt, symbolizer, folder);
  Names names(*result.execution, symbolizer, folder);
  result.outcome.message = explained_message(result.outcome, *result.execution, names);
  show_output(result, settings, terminal);
  const Judgement judgement = judge_replay(trace, result, rebuilt, options.carrier, names);
  terminal.result(capitalized(judgement.text) + "\n");
  if (judgement.status != ExitStatus::Bug || rebuilt) terminal.result(capitalized(again) + "\n");
  return judgement.status;
}

ExitStatus replay_command(Settings& settings, Terminal& terminal) {
  const FoundTrace found = find_trace(settings.operands);
  if (found.path.empty()) return wrong_use(terminal, found.error);
  const ReadTrace read = read_trace(found.path);
  if (!read.trace) return wrong_use(terminal, read.error);
  terminal.message(fmt::format("replaying {}", found.path));
  if (!may_run(*read.trace, found.path, settings, terminal)) return ExitStatus::WrongUse;
  // The program may run in another folder than we were called in.
  std::error_code error;
  return replay_trace(*read.trace, std::filesystem::absolute(found.path, error).string(), settings, terminal);
}

}  // namespace

const Command kReplayCommand = {
    "replay",
    "[options] [TRACE | FOLDER | BUG-NUMBER]",
    "run the schedule of a bug again (default: the latest); a trace is a program to run: it names a file, "
    "arguments and variables, so replay only those that you trust, and look at others "
    "with heddle show",
    For::Replay,
    false,
    replay_command};

}  // namespace heddle::cli
