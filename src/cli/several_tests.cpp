// The note on several tests; see several_tests.h.
#include "cli/several_tests.h"

#include <fmt/format.h>

#include <algorithm>

#include "analysis/test_frameworks.h"
#include "cli/ask_program.h"
#include "report/wording.h"

namespace heddle::cli {
namespace {

constexpr std::size_t kMaxCommands = 20;

std::string trimmed(std::string_view text) {
  const auto comment = text.find("  # ");  // "# GetParam() = …", "# TypeParam = …"
  if (comment != std::string_view::npos) text = text.substr(0, comment);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\r')) text.remove_suffix(1);
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  return std::string(text);
}

bool disabled(const std::string& name) {
  return name.compare(0, 9, "DISABLED_") == 0 || name.find("/DISABLED_") != std::string::npos;
}

bool begins_with_one_of(std::string_view word, std::string_view beginnings) {
  while (!beginnings.empty()) {
    const auto end = std::min(beginnings.find(' '), beginnings.size());
    if (word.substr(0, end) == beginnings.substr(0, end)) return true;
    beginnings.remove_prefix(std::min(end + 1, beginnings.size()));
  }
  return false;
}

// The command without what it chooses tests by.
std::string command_of_all(const TestFramework& framework, const std::vector<std::string>& command) {
  std::string result = "  ";
  if (*framework.environment != '\0') result += std::string(framework.environment) + " ";
  result += "heddle run";
  for (const std::string& word : command)
    if (!begins_with_one_of(word, framework.chooses)) result += " " + shell_quoted(word);
  return result;
}

// GoogleTest's names are told, since people copy the commands.
std::string google_commands(const std::string& program, const std::vector<std::string>& command,
                            const std::string& all) {
  std::vector<std::string> words = command;
  words.emplace_back("--gtest_list_tests");
  const std::vector<std::string> tests = listed_tests(ask_program(program, words, Streams::Output));
  std::string note;
  for (std::size_t i = 0; i < tests.size() && i < kMaxCommands; ++i)
    note += fmt::format("{} {}\n", all, shell_quoted("--gtest_filter=" + tests[i]));
  if (tests.size() > kMaxCommands) note += fmt::format("  … and {} more\n", tests.size() - kMaxCommands);
  return note;
}

std::string general_command(const TestFramework& framework, const std::vector<std::string>& command,
                            const std::string& all) {
  std::string note = all;
  if (*framework.choice != '\0') note += std::string(" ") + framework.choice;
  if (*framework.listing != '\0')
    note += fmt::format("    (the names: {} {})", shell_quoted(command[0]), framework.listing);
  return note + "\n";
}

std::vector<std::string> google_tests(std::string_view listing, bool are_disabled) {
  std::vector<std::string> result;
  std::string suite;
  while (!listing.empty()) {
    const auto end = std::min(listing.find('\n'), listing.size());
    const std::string_view line = listing.substr(0, end);
    const std::string name = trimmed(line);
    const bool in_suite = line.substr(0, 2) == "  ";
    if (!in_suite && !name.empty() && name.back() == '.')
      suite = name;
    else if (in_suite && !suite.empty() && !name.empty() && are_disabled == (disabled(name) || disabled(suite)))
      result.push_back(suite + name);
    listing.remove_prefix(std::min(end + 1, listing.size()));
  }
  return result;
}

}  // namespace

std::vector<std::string> listed_tests(std::string_view listing) { return google_tests(listing, false); }
std::vector<std::string> disabled_tests(std::string_view listing) { return google_tests(listing, true); }

std::string several_tests_note(const std::string& program, const std::vector<std::string>& command,
                               std::string_view program_output) {
  const auto selected = selected_tests(program_output);
  if (!selected || selected->count < 2 || command.empty()) return {};
  const TestFramework& framework = *selected->framework;
  const bool choosable = *framework.choice != '\0' || *framework.environment != '\0';
  std::string note = fmt::format(
      "{} tests were run one after the other in every schedule; one at a time is searched much more "
      "deeply (one that creates no thread has nothing to search, and ends with status 3){}\n",
      selected->count, choosable ? ":" : "");
  if (!choosable) return note;
  const std::string all = command_of_all(framework, command);
  const std::string commands =
      framework.name == std::string_view("GoogleTest") ? google_commands(program, command, all) : "";
  return note + (commands.empty() ? general_command(framework, command, all) : commands);
}

}  // namespace heddle::cli
