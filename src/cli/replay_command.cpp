// `heddle replay`: runs the schedule of a trace once more and says whether the bug comes again.
#include <fmt/format.h>

#include <filesystem>

#include "cli/command.h"
#include "cli/find_trace.h"
#include "cli/options.h"
#include "cli/replayed.h"
#include "cli/trust.h"
#include "report/wording.h"

namespace heddle::cli {
namespace {

ExitStatus wrong_use(Terminal& terminal, const std::string& message) {
  terminal.message(message);
  return ExitStatus::WrongUse;
}

void show_output(const Execution& execution, const Settings& settings, Terminal& terminal) {
  if (settings.run.output == OutputMode::None || execution.output.empty()) return;
  terminal.result("Output of the program:\n" + indented(execution.output, "  ") + "\n");
}

ExitStatus replay_trace(const Trace& trace, const std::string& path, const Settings& settings, Terminal& terminal) {
  const std::string again =
      fmt::format("to search again with the same settings: heddle run --like={}", shell_quoted(path));
  const PreparedReplay prepared = prepare_replay(trace, settings);
  for (const std::string& note : prepared.notes) terminal.message(note);
  if (!prepared.error.empty()) return wrong_use(terminal, prepared.error);
  const Replayed replayed(trace, prepared, trace.plan);
  for (const std::string& note : replayed.notes()) terminal.message(note);
  if (!replayed.ran()) {
    terminal.result(fmt::format("no verdict: {}\n", replayed.problem()));
    return ExitStatus::NoVerdict;
  }
  show_output(replayed.execution(), settings, terminal);
  const Judgement& judgement = replayed.judgement();
  terminal.result(capitalized(judgement.text) + "\n");
  if (judgement.status != ExitStatus::Bug || prepared.rebuilt) terminal.result(capitalized(again) + "\n");
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
