// Help texts; see help.h.
#include "cli/help.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

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

// What people come for, and the command for it; the first thing that they read. It fits a small terminal.
struct Purpose {
  const char* heading;  // null: as the line above
  const Command* command;
  const char* operands;
  const char* says;
};
constexpr Purpose kPurposes[] = {
    {"Find a bug", &kRunCommand, "./program", "explore the schedules of a program"},
    {"Test a suite", &kTestCommand, "./tests", "explore each of its tests by itself"},
    {"Understand it", &kShowCommand, "", "the latest bug, explained on a page"},
    {nullptr, &kReplayCommand, "", "run its schedule again"},
    {nullptr, &kDebugCommand, "", "stop in gdb at the step that decides"},
    {"Check a setup", &kDoctorCommand, "./program", "what this machine and program allow"},
};

std::string line_for(const Purpose& purpose) {
  constexpr std::size_t kHeading = 15, kCommand = 25;
  const std::string words =
      fmt::format("heddle {}{}{}", purpose.command->name, *purpose.operands == '\0' ? "" : " ", purpose.operands);
  const char* const heading = purpose.heading == nullptr ? "" : purpose.heading;
  return fmt::format("  {}{}{}\n", padded(heading, kHeading), padded(words, kCommand), purpose.says);
}

// As it is typed: "farm run" is one command.
std::string typed(const Command& command) {
  constexpr std::string_view kFarm = "farm-";
  std::string name = command.name;
  if (name.starts_with(kFarm)) name[kFarm.size() - 1] = ' ';
  return name;
}

// In lines, none of which ends within a name of two words.
std::string other_commands(std::size_t width) {
  constexpr char kSpace = '\x1f';  // stands for one until the lines are made
  std::string names;
  for (const Command* command : commands()) {
    const bool is_told = std::any_of(std::begin(kPurposes), std::end(kPurposes),
                                     [&](const Purpose& purpose) { return purpose.command == command; });
    if (is_told) continue;
    std::string name = typed(*command);
    std::replace(name.begin(), name.end(), ' ', kSpace);
    names += fmt::format("{}{}", names.empty() ? "" : ", ", name);
  }
  std::string lines = paragraph("Other commands: " + names, width);
  std::replace(lines.begin(), lines.end(), kSpace, ' ');
  return lines;
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

bool has_statuses(const Command& command) { return command.options != 0 || command.program_follows; }

std::string general_help() {
  constexpr std::size_t kSmallTerminal = 80;  // columns
  std::string result =
      fmt::format("Heddle {} finds and reproduces concurrency bugs in C and C++ programs.\n\n", kHeddleVersion);
  for (const Purpose& purpose : kPurposes) result += line_for(purpose);
  return result + fmt::format(
                      "\nOptions come before the program: heddle run --time=10s ./program --its-own\n"
                      "heddle COMMAND --help lists them.\n{}",
                      other_commands(kSmallTerminal));
}

std::string help_for(const Command& command) {
  std::string result = fmt::format("usage: heddle {} {}\n\n{}\n", typed(command), command.operands, command.summary);
  if (command.program_follows && command.options != 0)
    result += "Options end at the first word that is not one; the rest is the program and its arguments.\n";
  const char* group = "";
  for (const Option& option : options()) {
    if ((option.commands & command.options) == 0) continue;
    if (std::string_view(group) != option.group) result += fmt::format("\n{}\n", option.group);
    group = option.group;
    result += row(spelled(option), with_default(option));
  }
  return has_statuses(command) ? result + exit_statuses() : result;
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
