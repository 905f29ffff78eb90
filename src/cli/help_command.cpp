// `heddle help` and `heddle version`.
#include <fmt/format.h>

#include "cli/command.h"
#include "cli/help.h"
#include "protocol/shared.h"
#include "trace/trace_file.h"
#include "trace/version.h"

namespace heddle::cli {
namespace {

// `heddle help --markdown` is for tools/ that write docs/GUIDE.md, and not named in the help itself.
ExitStatus help(Settings& settings, Terminal& terminal) {
  const std::string topic = settings.operands.empty() ? "" : settings.operands[0];
  if (topic == "--markdown") {
    terminal.result(options_as_markdown());
    return ExitStatus::NoBug;
  }
  const bool general = topic.empty() || topic == "--help" || topic == "-h";
  const Command* command = general ? nullptr : command_named(topic);
  if (command == nullptr && !general) {
    terminal.message(fmt::format("there is no command {} (heddle help lists them)", topic));
    return ExitStatus::WrongUse;
  }
  terminal.result(command == nullptr ? general_help() : help_for(*command));
  return ExitStatus::NoBug;
}

ExitStatus version(Settings& settings, Terminal& terminal) {
  if (!settings.operands.empty()) {
    terminal.message("version takes no arguments");
    return ExitStatus::WrongUse;
  }
  terminal.result(
      fmt::format("heddle {} (protocol {}, trace format {})\n", kHeddleVersion, kProtocolVersion, kTraceFormat));
  return ExitStatus::NoBug;
}

}  // namespace

const Command kHelpCommand = {"help", "[COMMAND]", "say how Heddle is used", 0, false, help};
const Command kVersionCommand = {"version", "", "say which Heddle this is", 0, false, version};

}  // namespace heddle::cli
