// `heddle replay`: runs the schedule of a trace once more and says whether the bug comes again. With --exec it then
// becomes a command (strace) that starts us as `heddle --start-for-gdb TRACE`, which becomes the program.
#include <fmt/format.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>

#include "cli/command.h"
#include "cli/find_trace.h"
#include "cli/options.h"
#include "cli/replayed.h"
#include "cli/trust.h"
#include "driver/process/own_process.h"
#include "report/wording.h"
#include "trace/module_names.h"

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

// Why the command can't run a replay; empty: it may.
std::string unfit_to_run_it(const std::string& command, const PreparedReplay& prepared) {
  const std::string first = command.substr(0, command.find(' '));
  if (file_name(first) == "valgrind")
    return "--exec: valgrind can't run a replay. Heddle has the kernel hand over each system call of the program, "
           "and valgrind's own come from the same process. Build the program with -fsanitize=address instead";
  if (file_name(first) == "gdb") return "--exec: gdb has a command of its own: heddle debug";
  if (prepared.target.script || !prepared.options.target.empty() || prepared.options.follow_fork)
    return "--exec: the command starts the program itself, and here another process starts it (a script, --target or "
           "--follow-fork)";
  return {};
}

// Where and how the user called us; a replay goes to the trace's folder and environment.
struct Surroundings {
  std::string folder;
  std::vector<std::string> environment;
};

Surroundings surroundings() {
  std::error_code error;
  return {std::filesystem::current_path(error).string(), own_environment()};
}

// Becomes the command. Returns only if that fails.
ExitStatus become(const std::string& command, const std::string& path, Surroundings own, Terminal& terminal) {
  std::error_code error;
  std::filesystem::current_path(own.folder, error);
  std::string script = fmt::format("exec {} {} {} {}", command, shell_quoted(own_executable()),
                                   kStartForGdbCommand.name, shell_quoted(path));
  std::vector<char*> variables;
  for (std::string& one : own.environment) variables.push_back(one.data());
  variables.push_back(nullptr);
  terminal.message(fmt::format("the same schedule, run by {}", command));
  if (terminal.finish(ExitStatus::NoBug) != ExitStatus::NoBug) return ExitStatus::WrongUse;
  std::string shell = "sh", option = "-c";
  char* words[] = {shell.data(), option.data(), script.data(), nullptr};
  execve("/bin/sh", words, variables.data());
  return wrong_use(terminal, fmt::format("/bin/sh could not be started: {}", std::strerror(errno)));
}

ExitStatus replay_trace(const Trace& trace, const std::string& path, const Settings& settings, Terminal& terminal) {
  const Surroundings own = surroundings();
  const std::string again =
      fmt::format("to search again with the same settings: heddle run --like={}", shell_quoted(path));
  const PreparedReplay prepared = prepare_replay(trace, settings);
  for (const std::string& note : prepared.notes) terminal.message(note);
  if (!prepared.error.empty()) return wrong_use(terminal, prepared.error);
  if (!settings.exec.empty())
    if (const std::string why = unfit_to_run_it(settings.exec, prepared); !why.empty()) return wrong_use(terminal, why);
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
  if (!settings.exec.empty() && judgement.status == ExitStatus::Bug) return become(settings.exec, path, own, terminal);
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
