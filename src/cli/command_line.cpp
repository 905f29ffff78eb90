// See command_line.h.
#include "cli/command_line.h"

#include <fmt/format.h>

#include <exception>
#include <new>
#include <string>
#include <vector>

#include "cli/command.h"
#include "cli/help.h"
#include "cli/parse.h"
#include "trace/version.h"

namespace heddle::cli {
namespace {

const Command* command_for(const std::string& word) {
  if (word == "--version") return &kVersionCommand;
  if (word == "--help" || word == "-h") return &kHelpCommand;
  for (const Command* hidden : {&kStartForGdbCommand, &kRunTestCommand, &kRunShardCommand, &kSmallProgramCommand})
    if (word == hidden->name) return hidden;
  return command_named(word);
}

ExitStatus run_command(const Command& command, const std::vector<std::string>& words) {
  Parsed parsed;
  if (&command == &kHelpCommand)
    parsed.settings.operands = words;
  else
    parsed = parse(command, words);
  Terminal terminal(parsed.settings);
  if (parsed.help) {
    terminal.result(help_for(command));
    return terminal.finish(ExitStatus::NoBug);
  }
  if (!parsed.error.empty()) {
    terminal.message(fmt::format("{}\n(heddle {} --help lists the options)", parsed.error, command.name));
    return ExitStatus::WrongUse;
  }
  if (!parsed.note.empty()) terminal.message(parsed.note);
  return terminal.finish(command.run(parsed.settings, terminal));
}

// "heddle farm run" is another way to write "heddle farm-run".
ExitStatus farm(const std::vector<std::string>& words, Terminal& terminal) {
  const Command* command = words.size() > 1 ? command_named("farm-" + words[1]) : nullptr;
  if (command != nullptr) return run_command(*command, {words.begin() + 2, words.end()});
  terminal.message(
      fmt::format("{}heddle farm run explores a program with many workers, heddle farm test each test of a suite, "
                  "heddle farm status shows what "
                  "a farm has come to, heddle farm attach goes on with it",
                  words.size() > 1 ? fmt::format("there is no command farm {}; ", words[1]) : ""));
  return ExitStatus::WrongUse;
}

ExitStatus dispatch(const std::vector<std::string>& words) {
  Terminal terminal{Settings()};
  if (words.empty()) {
    terminal.result(general_help());
    return ExitStatus::WrongUse;
  }
  if (words[0] == "farm") return farm(words, terminal);
  const Command* command = command_for(words[0]);
  if (command != nullptr) return run_command(*command, {words.begin() + 1, words.end()});
  terminal.message(fmt::format("there is no command {}; to explore a program: heddle run {}\n{}", words[0], words[0],
                               general_help()));
  return ExitStatus::WrongUse;
}

}  // namespace

int run_command_line(int argument_count, const char* const* arguments) {
  take_closed_descriptors();
  survive_failed_writes();
  try {
    return static_cast<int>(dispatch({arguments + 1, arguments + argument_count}));
  } catch (const std::bad_alloc&) {
    Terminal(Settings()).message("out of memory; a smaller --max-steps or --max-preemptions needs less");
  } catch (const std::exception& error) {
    Terminal(Settings())
        .message(fmt::format("internal error: {}. Please report this text, the command line and the output of "
                             "heddle --version ({})",
                             error.what(), kHeddleVersion));
  }
  return static_cast<int>(ExitStatus::InternalError);
}

}  // namespace heddle::cli
