// See choose_tests.h.
#include "cli/choose_tests.h"

#include <fmt/format.h>

#include <algorithm>

#include "analysis/lines.h"
#include "cli/baseline.h"
#include "cli/suite_report.h"
#include "driver/process/cpu.h"
#include "report/wording.h"
#include "trace/atomic_file.h"

namespace heddle::cli {
namespace {

ExitStatus wrong_use(Terminal& terminal, const std::string& message) {
  terminal.message(message);
  return ExitStatus::WrongUse;
}

bool is_given(const Settings& settings, std::string_view option) {
  return std::find(settings.given.begin(), settings.given.end(), option) != settings.given.end();
}

TestList list_tests(const Settings& settings, const Target& target) {
  if (settings.list.empty() && settings.select.empty()) return tests_of_framework(target.path, settings.run.command);
  if (settings.list.empty() || settings.select.find("{}") == std::string::npos)
    return {{}, {}, {}, "--list and --select belong together, and --select needs {} where the test's name goes"};
  return tests_by_command(settings.list, settings.select);
}

// Each test gets a filter of its own. With the user's before it, the same test would be another call to the regression
// store, and its bugs would have other keys.
void leave_out_filter(const TestList& list, std::vector<std::string>& command) {
  if (list.filter.empty()) return;
  command.erase(std::remove_if(command.begin() + 1, command.end(),
                               [&](const std::string& word) { return starts_with(word, list.filter); }),
                command.end());
}

// The same words as in the report of a run.
std::string list_as_json(const Settings& settings, const TestList& list) {
  nlohmann::json tests = nlohmann::json::array();
  for (const ListedTest& test : list.tests) tests.push_back({{"name", test.name}, {"arguments", test.words}});
  return suite_json(settings, list.framework, nlohmann::json{{"tests", tests}, {"disabled", list.disabled}});
}

ExitStatus tell_list(const Settings& settings, const TestList& list, Terminal& terminal) {
  std::string names;
  for (const ListedTest& test : list.tests) names += test.name + "\n";
  terminal.result(names);
  if (settings.json.empty()) return ExitStatus::NoBug;
  const std::string text = list_as_json(settings, list);
  const std::string error = settings.json == "-" ? terminal.json(text) : write_file(settings.json, text);
  return error.empty() ? ExitStatus::NoBug : wrong_use(terminal, error);
}

// Empty, or what is wrong with a file that is to be read, or written when all is done.
std::string unfit_files(const Settings& settings) {
  const char* on_output = nullptr;  // what writes to standard output
  for (const auto& [option, file] : {std::pair("--json", &settings.json), std::pair("--junit", &settings.junit),
                                     std::pair("--sarif", &settings.sarif)}) {
    if (*file == "-") {
      if (on_output != nullptr)
        return fmt::format("{} and {} can't both write to standard output: give one a file", on_output, option);
      on_output = option;
    } else if (!file->empty()) {
      if (const std::string error = why_not_writable(*file); !error.empty())
        return fmt::format("{}: {}", option, error);
    }
  }
  const std::string error = settings.baseline.empty() ? "" : read_baseline(settings.baseline).error;
  return error.empty() ? error : "--baseline: " + error;
}

}  // namespace

std::variant<ChosenTests, ExitStatus> choose_tests(Settings& settings, Terminal& terminal) {
  if (!is_given(settings, "--time")) settings.run.time_s = kTimeOfSuite_s;
  if (settings.run.workers == 0) settings.run.workers = default_workers();
  if (const std::string error = unfit_files(settings); !error.empty()) return wrong_use(terminal, error);
  auto target = inspect_target(settings.run);
  if (const auto* error = std::get_if<TargetError>(&target)) return wrong_use(terminal, error->message);
  ChosenTests chosen{std::get<Target>(std::move(target)), {}};
  chosen.list = list_tests(settings, chosen.target);
  if (!chosen.list.error.empty()) return wrong_use(terminal, chosen.list.error);
  if (settings.list_only) return tell_list(settings, chosen.list, terminal);
  leave_out_filter(chosen.list, settings.run.command);
  if (chosen.list.tests.empty()) return wrong_use(terminal, settings.run.command[0] + " has disabled tests only");
  return chosen;
}

std::string note_on_suite(const TestList& list, double time_s) {
  return fmt::format("{} of {}, {} for all", counted(list.tests.size(), "test"),
                     list.framework.empty() ? "--list" : list.framework, duration(time_s));
}

}  // namespace heddle::cli
