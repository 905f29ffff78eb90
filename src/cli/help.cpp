// Help texts; see help.h.
#include "cli/help.h"

#include <fmt/format.h>

#include "report/columns.h"
#include "trace/version.h"

namespace heddle::cli {
namespace {

constexpr std::size_t kWidth = 100;
constexpr std::size_t kLeft = 32;

std::string row(const std::string& left, const std::string& right) {
  const std::string margin(kLeft, ' ');
  if (shown_width(left) + 4 > kLeft) return "  " + left + "\n" + paragraph(right, kWidth, margin, margin);
  return paragraph(right, kWidth, padded("  " + left, kLeft), margin);
}

std::string exit_statuses() {
  std::string result = "\nExit status\n";
  for (const ExitStatusRow& status : kExitStatuses)
    result += row(std::to_string(static_cast<int>(status.status)), status.meaning);
  return result;
}

std::string escaped(std::string text) {
  for (std::size_t at = text.find('|'); at != std::string::npos; at = text.find('|', at + 2)) text.insert(at, "\\");
  return text;
}

}  // namespace

std::string spelled(const Option& option) {
  if (*option.value == '\0') return option.name;
  return fmt::format("{}{}{}", option.name, option.name[1] == '-' ? "=" : " ", option.value);
}

std::string with_default(const Option& option) {
  const std::string value = option.get(Settings());
  return value.empty() || *option.value == '\0' ? option.help : fmt::format("{} (default: {})", option.help, value);
}

std::string general_help() {
  std::string result =
      fmt::format("Heddle {} finds and reproduces concurrency bugs in C and C++ programs.\n\n", kHeddleVersion);
  for (const Command* command : commands()) result += row(fmt::format("heddle {}", command->name), command->summary);
  return result + "\nheddle COMMAND --help tells more.\n";
}

std::string help_for(const Command& command) {
  std::string result = fmt::format("usage: heddle {} {}\n\n{}\n", command.name, command.operands, command.summary);
  if (command.program_follows)
    result += "Options end at the first word that is not one; the rest is the program and its arguments.\n";
  const char* group = "";
  for (const Option& option : options()) {
    if ((option.commands & command.options) == 0) continue;
    if (std::string_view(group) != option.group) result += fmt::format("\n{}\n", option.group);
    group = option.group;
    result += row(spelled(option), with_default(option));
  }
  return command.options == 0 ? result : result + exit_statuses();
}

std::string options_as_markdown() {
  std::string result = "| option | for | meaning | default |\n|---|---|---|---|\n";
  for (const Option& option : options()) {
    std::string uses;
    for (const Command* command : commands())
      if ((option.commands & command->options) != 0) uses += (uses.empty() ? "" : ", ") + std::string(command->name);
    result += fmt::format("| `{}` | {} | {} | {} |\n", escaped(spelled(option)), uses, escaped(option.help),
                          *option.value == '\0' ? "" : option.get(Settings()));
  }
  result += "\n| exit status | meaning |\n|---|---|\n";
  for (const ExitStatusRow& status : kExitStatuses)
    result += fmt::format("| {} | {} |\n", static_cast<int>(status.status), status.meaning);
  return result;
}

}  // namespace heddle::cli
