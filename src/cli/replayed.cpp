// See replayed.h.
#include "cli/replayed.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "cli/bug_places.h"
#include "cli/from_trace.h"
#include "cli/point_lines.h"
#include "cli/rebuilt.h"
#include "driver/process/scratch.h"
#include "report/explain.h"
#include "report/wording.h"

namespace heddle::cli {
namespace {

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
                                       std::vector<std::string>& notes) {
  FoundPoints found = points_in_builds(trace.header, rebuilt);
  if (found.missing != 0)
    notes.push_back(fmt::format("of {} where accesses raced, {} not found in what was rebuilt",
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

}  // namespace

PreparedReplay prepare_replay(const Trace& trace, const Settings& settings) {
  PreparedReplay prepared{{}, options_for(trace, settings), false, enter_environment(trace.header), {}};
  const std::vector<std::string> rebuilt_now = rebuilt_files(trace);
  prepared.rebuilt = !rebuilt_now.empty();
  if (prepared.rebuilt) {
    prepared.notes.push_back(were_rebuilt(trace, rebuilt_now) +
                             " since the trace was made; trying its schedule all the same");
    prepared.options.points = points_of_build(trace, rebuilt_now, prepared.notes);
    prepared.options.spins.clear();  // where they are now is not known; the plan says who goes on
  }
  auto target = inspect_target(prepared.options);
  if (const auto* error = std::get_if<TargetError>(&target)) {
    prepared.error = error->message;
    return prepared;
  }
  prepared.target = std::get<Target>(std::move(target));
  for (const std::string& name : trace.header.made_files) prepared.target.folder.erase(name);
  remove_stale_scratch();
  return prepared;
}

Replayed::Replayed(const Trace& trace, const PreparedReplay& prepared, const Plan& plan)
    : result_(heddle::replay(prepared.target, prepared.options, plan, trace.header.own_folder)),
      symbolizer_(result_.modules) {
  if (!ran()) return;
  // With names and places, as the search and `heddle show` say it.
  std::error_code error;
  const std::string folder = std::filesystem::current_path(error).string();
  take_race(trace, result_, prepared.rebuilt, symbolizer_, folder);
  view_.emplace(*result_.execution);
  names_.emplace(view_->execution(), symbolizer_, folder);
  result_.outcome.message = explained_message(result_.outcome, view_->execution(), *names_);
  judgement_ = judge_replay(trace, result_, prepared.rebuilt, prepared.options.carrier, *names_);
}

}  // namespace heddle::cli
