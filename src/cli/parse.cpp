// Parsing with CLI11, from the table of options; see parse.h.
#include "cli/parse.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <utility>

#include "cli/from_trace.h"
#include "cli/options.h"

namespace heddle::cli {
namespace {

struct Given {
  const Option* option;
  std::string value;
};

bool takes_next_word(const std::string& word) {
  const Option* option = option_named(word);
  return option != nullptr && *option->value != '\0';
}

// Where the options end: at "--", or at the first word that is neither an option nor an option's value.
std::size_t end_of_options(const std::vector<std::string>& words) {
  std::size_t i = 0;
  while (i < words.size() && words[i].size() > 1 && words[i][0] == '-' && words[i] != "--")
    i += takes_next_word(words[i]) ? 2 : 1;
  return std::min(i, words.size());
}

void add_option(CLI::App& app, const Option& option, std::vector<Given>& given) {
  if (*option.value == '\0') {
    app.add_flag_function(
        option.name,
        [&option, &given](std::int64_t) {
          given.push_back({&option, ""});
        },
        option.help);
    return;
  }
  auto* const added = app.add_option_function<std::string>(
      option.name,
      [&option, &given](const std::string& value) {
        given.push_back({&option, value});
      },
      option.help);
  if (option.is_list)
    added->join(',');
  else
    added->take_last();
}

// CLI11 would take "--flag=7" for seven flags.
std::string value_of_a_flag(const std::vector<std::string>& words) {
  for (const std::string& word : words) {
    const auto equals = word.find('=');
    const Option* option = equals == std::string::npos ? nullptr : option_named(word.substr(0, equals));
    if (option != nullptr && *option->value == '\0') return fmt::format("{} takes no value", option->name);
  }
  return {};
}

// How many letters have to be put in, left out or changed to make one word of the other.
std::size_t distance(std::string_view one, std::string_view other) {
  std::vector<std::size_t> row(other.size() + 1);
  for (std::size_t j = 0; j <= other.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= one.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i);
    for (std::size_t j = 1; j <= other.size(); ++j) {
      const std::size_t changed = diagonal + (one[i - 1] == other[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, changed});
    }
  }
  return row.back();
}

// The one option that a misspelt or cut off word is likely to be; empty: there is none, or more than one.
std::string_view likely_option(const Command& command, std::string_view word) {
  constexpr std::size_t kShortest = 4, kFar = 3;  // "--ti"; of a longer word every third letter may be wrong
  std::string_view likely;
  std::size_t least = word.size() / kFar + 1;
  for (const Option& option : options()) {
    const std::string_view name = option.name;
    if ((option.commands & command.options) == 0 || name.substr(0, 2) != "--") continue;
    const bool begun = word.size() >= kShortest && name.substr(0, word.size()) == word;
    const std::size_t far = begun ? 0 : distance(word.substr(2), name.substr(2));
    if (far < least) likely = name;
    if (far == least && !likely.empty()) likely = {};
    least = std::min(least, far);
  }
  return likely;
}

// What to do about an option that there is not; empty: all that begin with "--" are known.
std::string suggestion(const Command& command, const std::vector<std::string>& words) {
  for (const std::string& word : words) {
    const std::string name = word.substr(0, word.find('='));
    if (name == "--") break;
    if (name.size() < 3 || name.substr(0, 2) != "--" || name == "--help" || option_named(name) != nullptr) continue;
    const std::string_view likely = likely_option(command, name);
    return likely.empty() ? std::string() : fmt::format("; is {} meant?", likely);
  }
  return {};
}

// Empty, or what is wrong.
std::string parse_options(const Command& command, std::vector<std::string> words, Parsed& parsed,
                          std::vector<Given>& given) {
  if (std::string error = value_of_a_flag(words); !error.empty()) return error;
  CLI::App app;
  app.set_help_flag();
  app.add_flag("-h,--help", parsed.help);
  std::vector<std::string>& operands = parsed.settings.operands;
  if (!command.program_follows) app.add_option("operands", operands);
  for (const Option& option : options())
    if ((option.commands & command.options) != 0) add_option(app, option, given);
  const std::string suggested = suggestion(command, words);
  std::reverse(words.begin(), words.end());
  try {
    app.parse(words);
  } catch (const CLI::ParseError& error) {
    return error.what() + suggested;
  }
  return {};
}

// A trace's settings come first, so that what is given beside it wins.
std::string take_over(const std::vector<Given>& given, Settings& settings) {
  for (const Given& one : given)
    if (std::string_view(one.option->name) == "--like") settings.like = one.value;
  if (!settings.like.empty()) {
    std::string error = take_search_of(settings.like, settings);
    if (!error.empty()) return error;
  }
  for (const Given& one : given) {
    const std::string error = one.option->set(settings, one.value);
    if (!error.empty()) return fmt::format("{}: {}", one.option->name, error);
    settings.given.push_back(one.option->name);
  }
  return {};
}

// What stands behind the program goes to it, also if it is meant for us. Empty: nothing there could be.
std::string note_on_late_options(const Command& command, const std::vector<std::string>& program) {
  std::vector<std::string> late;
  for (std::size_t i = 1; i < program.size() && program[i] != "--"; ++i) {
    const auto equals = program[i].find('=');
    const Option* option = option_named(program[i].substr(0, equals));
    if (option == nullptr || (option->commands & command.options) == 0) continue;
    const bool may_be_ours = equals == std::string::npos || (*option->value != '\0' && option->name[1] == '-');
    if (may_be_ours) late.push_back(program[i]);
  }
  if (late.empty()) return {};
  const bool one = late.size() == 1;
  return fmt::format(
      "note: {} {} behind {} and {} to it; heddle's own options come before the program (-- before {} says that it is "
      "meant so)",
      fmt::join(late, " "), one ? "stands" : "stand", program[0], one ? "goes" : "go", program[0]);
}

}  // namespace

Parsed parse(const Command& command, const std::vector<std::string>& words) {
  Parsed parsed;
  const std::size_t end = command.program_follows ? end_of_options(words) : words.size();
  std::vector<Given> given;
  parsed.error =
      parse_options(command, {words.begin(), words.begin() + static_cast<std::ptrdiff_t>(end)}, parsed, given);
  if (!parsed.error.empty() || parsed.help) return parsed;
  parsed.error = take_over(given, parsed.settings);
  const bool is_marked = end < words.size() && words[end] == "--";
  const std::size_t program = end + (is_marked ? 1 : 0);
  if (!parsed.error.empty() || program >= words.size()) return parsed;
  // A program given beside --like is run here and now, only with the trace's settings.
  parsed.settings.run.command.assign(words.begin() + static_cast<std::ptrdiff_t>(program), words.end());
  parsed.settings.like.clear();
  if (!is_marked && !parsed.settings.quiet) parsed.note = note_on_late_options(command, parsed.settings.run.command);
  return parsed;
}

}  // namespace heddle::cli
