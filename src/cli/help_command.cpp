// `heddle help` and `heddle version`.
#include <fmt/format.h>

#include "cli/command.h"
#include "cli/help.h"
#include "cli/help_files.h"
#include "protocol/shared.h"
#include "trace/trace_file.h"
#include "trace/version.h"

namespace heddle::cli {
namespace {

// What is generated from our tables, for the build and for tools/, and not named in the help itself. Empty: not that.
std::string generated(const std::string& topic, const std::string& name) {
  if (topic == "--markdown") return options_as_markdown();
  if (topic == "--man" && (name.empty() || command_named(name) != nullptr)) return man_page(command_named(name));
  return topic == "--completion" ? completion(name) : std::string();
}

ExitStatus help(Settings& settings, Terminal& terminal) {
  std::string topic = settings.operands.empty() ? "" : settings.operands[0];
  const std::string name = settings.operands.size() < 2 ? "" : settings.operands[1];
  if (const std::string text = generated(topic, name); !text.empty()) {
    terminal.result(text);
    return ExitStatus::NoBug;
  }
  if (!name.empty() && command_named(topic + "-" + name) != nullptr) topic += "-" + name;  // farm run
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
