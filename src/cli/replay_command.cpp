// `heddle replay`: runs the schedule of a trace once more and says whether the bug comes again.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "analysis/names.h"
#include "analysis/symbolizer.h"
#include "cli/command.h"
#include "cli/find_trace.h"
#include "cli/from_trace.h"
#include "cli/options.h"
#include "driver/replay.h"
#include "driver/scratch.h"
#include "report/explain.h"
#include "report/wording.h"
#include "trace/build_id.h"
#include "trace/compare.h"

namespace heddle::cli {
namespace {

struct Judgement {
  ExitStatus status;
  std::string text;
};

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

std::string differs(const Difference& difference) {
  return fmt::format("at step {}\n  expected: {}\n  seen:     {}", difference.step, difference.expected,
                     difference.seen);
}

constexpr const char* kOfAnotherBuild =
    "\nThe trace's schedule is of the build before: this one does something else, as it will where the bug was fixed. "
    "Whether the bug is gone, only a new search tells.";

// A loop is seen by what lies on the stacks of all threads, which only the fiber carrier knows.
bool loop_cannot_be_seen(const Trace& trace, const Difference& difference, CarrierKind carrier) {
  const EndKind end = trace.execution.end.end;
  return carrier == CarrierKind::Thread && (end == EndKind::Livelock || end == EndKind::GoodSamaritan) &&
         difference.step == trace.execution.steps.size();
}

// The steps are the trace's, or the program was rebuilt and they may differ.
Judgement judge(const Trace& trace, const ReplayResult& result, CarrierKind carrier, bool rebuilt) {
  const auto difference = compare(trace.execution, *result.execution);
  const bool same_kind = trace.header.outcome_kind == name(result.outcome.kind);
  if (same_kind && !difference) return {ExitStatus::Bug, "reproduced: " + result.outcome.message};
  if (same_kind && rebuilt)
    return {ExitStatus::Bug, fmt::format("reproduced, although the rebuilt program differs {}", differs(*difference))};
  if (difference && loop_cannot_be_seen(trace, *difference, carrier))
    return {
        ExitStatus::NoVerdict,
        fmt::format("all {} came as recorded, and then the program went on. That its threads go round for ever from "
                    "there on is only seen with --carrier=fiber",
                    counted(trace.execution.steps.size(), "step"))};
  if (difference) return {ExitStatus::NoVerdict, "diverged " + differs(*difference) + (rebuilt ? kOfAnotherBuild : "")};
  if (result.outcome.kind == OutcomeKind::Ok)
    return {ExitStatus::NoBug, "not reproduced: the same schedule ran without a bug"};
  return {ExitStatus::NoVerdict, fmt::format("not reproduced: the same schedule ended otherwise ({}: {})",
                                             name(result.outcome.kind), result.outcome.message)};
}

// A trace of a data race: it has come again if this execution has it, however it ended.
void take_race(const Trace& trace, ReplayResult& result) {
  if (trace.header.outcome_kind != name(OutcomeKind::Race) || trace.execution.races.empty()) return;
  const ExecutionRace& wanted = trace.execution.races[0];
  if (const ExecutionRace* race = same_race(*result.execution, result.modules, wanted, trace.modules); race != nullptr)
    result.outcome = race_outcome(*race);
}

// With names and places, as the search and `heddle show` say it.
void explain(ReplayResult& result) {
  Symbolizer symbolizer(result.modules);
  std::error_code error;
  Names names(*result.execution, symbolizer, std::filesystem::current_path(error).string());
  result.outcome.message = explained_message(result.outcome, *result.execution, names);
}

void show_output(const ReplayResult& result, const Settings& settings, Terminal& terminal) {
  const std::string& output = result.execution->output;
  if (settings.run.output == OutputMode::None || output.empty()) return;
  terminal.result("Output of the program:\n" + indented(output, "  ") + "\n");
}

ExitStatus replay_trace(const Trace& trace, const std::string& path, const Settings& settings, Terminal& terminal) {
  const std::string build = build_id_of(trace.header.program);  // empty: it is gone, which inspect_target() says
  const bool rebuilt = !build.empty() && build != trace.header.build_id;
  const std::string again =
      fmt::format("to search again with the same settings: heddle run --like={}", shell_quoted(path));
  for (const std::string& note : enter_surroundings(trace.header)) terminal.message(note);
  if (rebuilt) terminal.message("the program was rebuilt since the trace was made; trying its schedule all the same");
  const RunOptions options = options_for(trace, settings);
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
  take_race(trace, result);
  explain(result);
  show_output(result, settings, terminal);
  const Judgement judgement = judge(trace, result, options.carrier, rebuilt);
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
  // The program may run in another folder than we were called in.
  std::error_code error;
  return replay_trace(*read.trace, std::filesystem::absolute(found.path, error).string(), settings, terminal);
}

}  // namespace

const Command kReplayCommand = {"replay",
                                "[options] [TRACE | FOLDER | BUG-NUMBER]",
                                "run the schedule of a bug again (default: the latest)",
                                For::Replay,
                                false,
                                replay_command};

}  // namespace heddle::cli
