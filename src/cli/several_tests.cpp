// The note on several tests; see several_tests.h.
#include "cli/several_tests.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>

#include "analysis/test_frameworks.h"
#include "report/wording.h"

namespace heddle::cli {
namespace {

constexpr std::size_t kMaxCommands = 20;
constexpr std::size_t kMaxListingBytes = 1 << 20;
constexpr int kListingTimeout_ms = 5000;

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

// Reads until the other side closes, the time is over or there is too much.
std::string read_listing(int fd) {
  std::string text;
  char buffer[4096];
  pollfd ready{fd, POLLIN, 0};
  while (text.size() < kMaxListingBytes && poll(&ready, 1, kListingTimeout_ms) > 0) {
    const ssize_t got = ::read(fd, buffer, sizeof buffer);
    if (got <= 0) break;
    text.append(buffer, static_cast<std::size_t>(got));
  }
  return text;
}

pid_t start(const std::string& program, const std::vector<std::string>& words, int output) {
  std::vector<char*> pointers;
  pointers.reserve(words.size() + 1);
  for (const std::string& word : words) pointers.push_back(const_cast<char*>(word.c_str()));
  pointers.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, output, 1);
  posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
  pid_t child = 0;
  const int error = posix_spawn(&child, program.c_str(), &actions, nullptr, pointers.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  return error == 0 ? child : 0;
}

std::string listing_of(const std::string& program, std::vector<std::string> words) {
  words.push_back("--gtest_list_tests");
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return {};
  const pid_t child = start(program, words, ends[1]);
  ::close(ends[1]);
  std::string listing;
  if (child != 0) {
    listing = read_listing(ends[0]);
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
  }
  ::close(ends[0]);
  return listing;
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
  const std::vector<std::string> tests = listed_tests(listing_of(program, command));
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

}  // namespace

std::vector<std::string> listed_tests(std::string_view listing) {
  std::vector<std::string> result;
  std::string suite;
  while (!listing.empty()) {
    const auto end = std::min(listing.find('\n'), listing.size());
    const std::string_view line = listing.substr(0, end);
    const std::string name = trimmed(line);
    const bool in_suite = line.substr(0, 2) == "  ";
    if (!in_suite && !name.empty() && name.back() == '.')
      suite = name;
    else if (in_suite && !suite.empty() && !name.empty() && !disabled(name) && !disabled(suite))
      result.push_back(suite + name);
    listing.remove_prefix(std::min(end + 1, listing.size()));
  }
  return result;
}

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
