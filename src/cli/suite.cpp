// See suite.h.
#include "cli/suite.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <list>

#include "cli/command.h"
#include "cli/options.h"
#include "cli/values.h"
#include "driver/process/descriptor.h"
#include "driver/process/interrupt.h"
#include "driver/process/own_process.h"
#include "driver/process/process.h"
#include "driver/process/wait_status.h"

namespace heddle::cli {
namespace {

using Clock = std::chrono::steady_clock;

constexpr double kMostOverrun = 0.1;  // of the time: one that hangs is not to cost the others theirs
constexpr double kLeast_s = 0.1;      // with less no schedule comes to its end

double seconds_since(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

// What the suite says itself to each run, or has no meaning for one.
bool is_ours(std::string_view option) {
  static constexpr std::string_view kOurs[] = {"--time", "-j", "--json", "-o", "-q", "--color", "--sarif", "--explain"};
  return std::find(std::begin(kOurs), std::end(kOurs), option) != std::end(kOurs);
}

nlohmann::json read_report(const std::string& path) {
  std::ifstream file(path);
  nlohmann::json report = nlohmann::json::parse(file, nullptr, false);
  return report.is_discarded() ? nlohmann::json() : report;
}

std::string why_failed(const std::string& problem, const std::string& log, int status) {
  if (!problem.empty()) return problem;
  const std::string line = last_line_of(log);
  return line.empty() ? "heddle run " + describe_status(status) : line;
}

}  // namespace

bool is_for_tests(const Option& option) {
  return (option.commands & For::Run) != 0 && (option.commands & (For::Test | For::FarmTest)) != 0 &&
         !is_ours(option.name);
}

std::vector<NamedText> options_for_tests(const Settings& settings) {
  std::vector<NamedText> result;
  for (const Option& option : options()) {
    const bool given = std::find(settings.given.begin(), settings.given.end(), option.name) != settings.given.end();
    if (given && is_for_tests(option))
      result.emplace_back(option.name, *option.value != '\0' ? option.get(settings) : std::string());
  }
  return result;
}

std::vector<std::string> words_of(const std::vector<NamedText>& options) {
  std::vector<std::string> words;
  for (const auto& [name, value] : options) {
    words.push_back(name);
    if (const Option* option = option_named(name); option != nullptr && *option->value != '\0') words.push_back(value);
  }
  return words;
}

std::string last_line_of(const std::string& path) {
  std::ifstream file(path);
  std::string line, last;
  while (std::getline(file, line))
    if (!line.empty() && line[0] != '(') last = line;
  return last.rfind("heddle: ", 0) == 0 ? last.substr(8) : last;
}

struct Suite::Running {
  std::size_t test;
  double seconds;  // it may take so long
  Clock::time_point begin;
  Process process;
  std::string json, log;
  std::string problem = {};  // why it could not be started
};

Suite::Suite(const Settings& settings, const std::string& folder, std::vector<ListedTest> tests, Terminal& terminal)
    : settings_(settings),
      terminal_(terminal),
      options_(words_of(options_for_tests(settings))),
      results_(settings, folder, std::move(tests), terminal) {}

const std::vector<TestResult>& Suite::run() {
  const double side_by_side = std::max(1u, settings_.run.workers);
  std::vector<std::size_t> tests(results_.all().size());
  for (std::size_t i = 0; i < tests.size(); ++i) tests[i] = i;
  run_all(tests, first_share_s(settings_.seconds_left(), side_by_side, tests.size()), false);
  tests = results_.with_more();
  if (tests.empty()) return results_.all();
  const double left_s = seconds_left();
  const double each_s = std::min(left_s, left_s * side_by_side / static_cast<double>(tests.size()));
  if (each_s < kWorthwhile_s || interrupted()) return results_.all();
  if (!settings_.quiet) terminal_.message(note_on_more(tests.size(), each_s));
  run_all(tests, each_s, true);
  return results_.all();
}

void Suite::run_all(const std::vector<std::size_t>& tests, double seconds_each, bool goes_on) {
  constexpr auto kPause = std::chrono::milliseconds(20);
  std::list<Running> running;
  bool told = false;
  for (std::size_t next = 0; next < tests.size() || !running.empty();) {
    if (interrupted()) {
      next = tests.size();
      for (Running& one : running)
        if (!told) ::kill(one.process.pid(), SIGINT);  // it writes down what it has
      told = true;
    }
    while (next < tests.size() && running.size() < std::max(1u, settings_.run.workers)) {
      const double left_s = seconds_left();
      if (left_s < kLeast_s) next = tests.size();  // the others have no time
      if (left_s >= kLeast_s) running.push_back(start(tests[next++], std::min(seconds_each, left_s), goes_on));
    }
    if (running.empty()) break;
    running.front().process.wait(kPause);
    for (auto one = running.begin(); one != running.end();) {
      const auto status = one->process.running() ? one->process.ended() : std::optional(-1);
      if (status) take(*one, *status);
      one = status ? running.erase(one) : std::next(one);
    }
  }
}

Suite::Running Suite::start(std::size_t test, double seconds, bool goes_on) const {
  const TestResult& result = results_.all()[test];
  Running running{test, seconds, Clock::now(), {}, result.folder + ".json", result.folder + ".log"};
  std::error_code error;
  std::vector<std::string> words{own_executable(),
                                 kRunTest,
                                 "-q",
                                 "--json=" + running.json,
                                 "-o",
                                 result.folder,
                                 "--time=" + format_seconds(seconds),
                                 "--save-every=500ms",
                                 "-j",
                                 "1"};
  words.insert(words.end(), options_.begin(), options_.end());
  // Where not even one schedule ended, nothing was kept. A search with a bug would go on behind it, and what is to be
  // decided is the bug itself.
  if (goes_on && result.verdict != TestVerdict::Bug && std::filesystem::exists(result.folder + ".state", error))
    words.emplace_back("--resume");
  words.emplace_back("--");
  words.insert(words.end(), settings_.run.command.begin(), settings_.run.command.end());
  words.insert(words.end(), result.test.words.begin(), result.test.words.end());
  std::filesystem::remove(running.json, error);
  const Descriptor input(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  const Descriptor output(::open(running.log.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
  bool randomized = false;
  running.problem = running.process.start({words[0], words, own_environment(), input.get(), output.get()}, randomized);
  return running;
}

void Suite::take(const Running& ended, int status) {
  const double overrun_s = seconds_since(ended.begin) - ended.seconds;
  overrun_s_ = std::clamp(overrun_s, overrun_s_, std::max(overrun_s_, kMostOverrun * settings_.run.time_s));
  EndedTest result{read_report(ended.json), WIFEXITED(status) ? WEXITSTATUS(status) : -1, {}, true};
  result.why_failed = why_failed(ended.problem, ended.log, status);
  results_.take(ended.test, std::move(result));
  std::error_code error;
  std::filesystem::remove(ended.json, error);
  if (results_.all()[ended.test].verdict != TestVerdict::Failed) std::filesystem::remove(ended.log, error);
}

}  // namespace heddle::cli
