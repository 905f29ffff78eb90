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
#include "driver/execute/ended_early.h"
#include "driver/process/descriptor.h"
#include "driver/process/interrupt.h"
#include "driver/process/own_process.h"
#include "driver/process/process.h"
#include "driver/process/wait_status.h"
#include "report/wording.h"

namespace heddle::cli {
namespace {

using Clock = std::chrono::steady_clock;

// Long enough for the search to be kept, to go on from there.
constexpr double kMostAtFirst_s = 10, kLeastAtFirst_s = 1;
constexpr double kShareAtFirst = 1.0 / 3;  // of the time, at most, if all tests take what they may
constexpr double kMostOverrun = 0.1;       // of the time: one that hangs is not to cost the others theirs
constexpr double kLeast_s = 0.1;           // with less no schedule comes to its end
constexpr double kWorthwhile_s = 0.5;      // less is not worth another start

double seconds_since(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

// What the suite says itself to each run, or has no meaning for one.
bool is_ours(std::string_view option) {
  static constexpr std::string_view kOurs[] = {"--time",  "-j",     "--json",   "-o",      "-q",       "--color",
                                               "--junit", "--list", "--select", "--sarif", "--explain"};
  return std::find(std::begin(kOurs), std::end(kOurs), option) != std::end(kOurs);
}

std::vector<std::string> passed_on(const Settings& settings) {
  std::vector<std::string> words;
  for (const Option& option : options()) {
    const bool given = std::find(settings.given.begin(), settings.given.end(), option.name) != settings.given.end();
    if (!given || is_ours(option.name)) continue;
    words.emplace_back(option.name);
    if (*option.value != '\0') words.push_back(option.get(settings));
  }
  return words;
}

// Part of a path.
std::string file_name_for(const std::string& name) {
  constexpr std::size_t kMost = 100;
  std::string result = name.substr(0, kMost);
  std::replace_if(
      result.begin(), result.end(), [](unsigned char c) { return std::isalnum(c) == 0 && c != '.' && c != '-'; }, '_');
  return result.empty() || result[0] == '.' || result[0] == '-' ? "_" + result : result;
}

std::string first_line_of(const std::string& text) { return text.substr(0, text.find('\n')); }

nlohmann::json read_report(const std::string& path) {
  std::ifstream file(path);
  nlohmann::json report = nlohmann::json::parse(file, nullptr, false);
  return report.is_discarded() ? nlohmann::json() : report;
}

std::string last_line_of(const std::string& path) {
  std::ifstream file(path);
  std::string line, last;
  while (std::getline(file, line))
    if (!line.empty() && line[0] != '(') last = line;
  return last.rfind("heddle: ", 0) == 0 ? last.substr(8) : last;
}

// Empty: it is no text.
std::string text_of(const nlohmann::json& report, const char* field) {
  const auto found = report.find(field);
  return found != report.end() && found->is_string() ? found->get<std::string>() : std::string();
}

std::string why_failed(const std::string& problem, const std::string& log, int status) {
  if (!problem.empty()) return problem;
  const std::string line = last_line_of(log);
  return line.empty() ? "heddle run " + describe_status(status) : line;
}

// That --baseline does not know; null: there is none.
const nlohmann::json* first_new_bug(const nlohmann::json& report) {
  for (const nlohmann::json& bug : report["bugs"])
    if (!bug.value("known", false)) return &bug;
  return nullptr;
}

// "preemption" or "delay": up to how many of them every schedule was run; -1: not even all without one.
std::int64_t bound_proved(const nlohmann::json& report, const char* counts) {
  const auto found = report.find(fmt::format("{}_bound_proved", counts));
  return found != report.end() && found->is_number() ? found->get<std::int64_t>() : -1;
}

TestVerdict verdict_of(const nlohmann::json& report, int status) {
  if (report.is_null()) return TestVerdict::Failed;
  if (status == static_cast<int>(ExitStatus::Bug)) return TestVerdict::Bug;
  if (status == static_cast<int>(ExitStatus::NoBug) && !report["bugs"].empty())
    return first_new_bug(report) == nullptr ? TestVerdict::Known : TestVerdict::Timing;
  if (is_without_threads(text_of(report, "no_verdict_reason"))) return TestVerdict::NoThreads;
  if (status == static_cast<int>(ExitStatus::NoVerdict)) return TestVerdict::NoVerdict;
  if (status != static_cast<int>(ExitStatus::NoBug)) return TestVerdict::Failed;
  if (report.value("complete", false)) return TestVerdict::Proved;
  const bool any_bound = bound_proved(report, "preemption") >= 0 || bound_proved(report, "delay") >= 0;
  return any_bound ? TestVerdict::Bound : TestVerdict::NotProved;
}

// A line for each stored bug that was tried.
// A search that goes on tries no stored bug again. It may find one that was called fixed.
void carry_over_regressions(const nlohmann::json& before, nlohmann::json& report) {
  if (!before.contains("regressions") || !report.contains("regressions") || !report["regressions"].empty()) return;
  report["regressions"] = before["regressions"];
  for (nlohmann::json& one : report["regressions"])
    for (const nlohmann::json& bug : report["bugs"])
      if (bug["cause"] == one["cause"]) {
        one["result"] = "fails_again";
        one["evidence"] =
            fmt::format("the search found it in schedule {}", grouped(bug.value("schedule", std::uint64_t{0})));
      }
}

std::string regressions_of(const TestResult& result) {
  std::string lines;
  if (!result.report.contains("regressions")) return lines;
  for (const nlohmann::json& one : result.report["regressions"]) {
    std::string words = one.value("result", "");
    std::replace(words.begin(), words.end(), '_', ' ');
    lines += fmt::format("         regression {}: {}: {}\n", one.value("key", ""), words, one.value("evidence", ""));
  }
  return lines;
}

}  // namespace

bool may_need_only_time(const TestResult& result) {
  if (result.verdict != TestVerdict::Bug) return false;
  const auto is_excused = [](const nlohmann::json& bug) {
    return bug.value("may_need_only_time", false) || bug.value("needs_only_time", false) || bug.value("known", false);
  };
  const nlohmann::json& bugs = result.report["bugs"];
  return std::all_of(bugs.begin(), bugs.end(), is_excused);
}

bool has_more(const TestResult& result, TimingBugs timing_bugs) {
  if (timing_bugs == TimingBugs::Pass && may_need_only_time(result)) return true;
  const bool open = result.verdict == TestVerdict::Bound || result.verdict == TestVerdict::NotProved ||
                    result.verdict == TestVerdict::NoVerdict || result.verdict == TestVerdict::Known;
  return open && text_of(result.report, "stop_reason") == "time";
}

const char* name(TestVerdict verdict) {
  switch (verdict) {
    case TestVerdict::Bug:
      return "bug";
    case TestVerdict::Timing:
      return "timing";
    case TestVerdict::Known:
      return "known";
    case TestVerdict::Proved:
    case TestVerdict::Bound:
    case TestVerdict::NotProved:
      return "ok";
    case TestVerdict::NoThreads:
      return "skipped";
    case TestVerdict::NotRun:
      return "not run";
    case TestVerdict::NoVerdict:
    case TestVerdict::Failed:
      break;
  }
  return "unknown";
}

struct Suite::Running {
  std::size_t test;
  double seconds;  // it may take so long
  Clock::time_point begin;
  Process process;
  std::string json, log;
  std::string problem = {};  // why it could not be started
};

Suite::Suite(const Settings& settings, std::string folder, std::vector<ListedTest> tests, Terminal& terminal)
    : settings_(settings), folder_(std::move(folder)), terminal_(terminal), options_(passed_on(settings)) {
  constexpr std::size_t kWidest = 50;
  for (ListedTest& test : tests) {
    name_width_ = std::max(name_width_, std::min(test.name.size(), kWidest));
    results_.emplace_back();
    results_.back().folder = fmt::format("{}/{}-{}", folder_, results_.size(), file_name_for(test.name));
    results_.back().test = std::move(test);
  }
}

const std::vector<TestResult>& Suite::run() {
  const double all_s = settings_.seconds_left(), side_by_side = std::max(1u, settings_.run.workers);
  std::vector<std::size_t> tests(results_.size());
  for (std::size_t i = 0; i < tests.size(); ++i) tests[i] = i;
  const double fair_s = all_s * kShareAtFirst * side_by_side / static_cast<double>(tests.size());
  run_all(tests, std::clamp(fair_s, std::min(kLeastAtFirst_s, all_s), kMostAtFirst_s), false);
  std::erase_if(tests, [this](std::size_t i) { return !has_more(results_[i], settings_.timing_bugs); });
  if (tests.empty()) return results_;
  const double left_s = seconds_left();
  const double each_s = std::min(left_s, left_s * side_by_side / static_cast<double>(tests.size()));
  if (each_s < kWorthwhile_s || interrupted()) return results_;
  if (!settings_.quiet)
    terminal_.message(fmt::format("{} had schedules left: {} more for {}", counted(tests.size(), "test"),
                                  duration(each_s), tests.size() == 1 ? "it" : "each"));
  run_all(tests, each_s, true);
  return results_;
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
  const TestResult& result = results_[test];
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
  TestResult& result = results_[ended.test];
  nlohmann::json report = read_report(ended.json);
  const double overrun_s = seconds_since(ended.begin) - ended.seconds;
  overrun_s_ = std::clamp(overrun_s, overrun_s_, std::max(overrun_s_, kMostOverrun * settings_.run.time_s));
  const bool had_one = !result.report.is_null();
  if (report.is_null() && had_one) return;  // what was known before stays
  if (had_one) carry_over_regressions(result.report, report);
  result.report = std::move(report);
  result.verdict = interrupted() && result.report.is_null()
                       ? TestVerdict::NotRun
                       : verdict_of(result.report, WIFEXITED(status) ? WEXITSTATUS(status) : -1);
  result.reason.clear();
  if (result.verdict == TestVerdict::Failed) result.reason = why_failed(ended.problem, ended.log, status);
  if (result.verdict == TestVerdict::NoVerdict && result.report["no_verdict_reason"].is_string())
    result.reason = first_line_of(result.report["no_verdict_reason"]);
  std::error_code error;
  std::filesystem::remove(ended.json, error);
  if (result.verdict != TestVerdict::Failed) std::filesystem::remove(ended.log, error);
  tell(result, had_one);
}

void Suite::tell(const TestResult& result, bool goes_on) {
  const bool is_failure = result.verdict == TestVerdict::Bug,
             is_bug = is_failure || result.verdict == TestVerdict::Timing || result.verdict == TestVerdict::Known;
  std::string line = fmt::format("{:<8} {:<{}}  ", name(result.verdict), result.test.name, name_width_);
  if (is_bug) {
    const nlohmann::json* const first = first_new_bug(result.report);
    const nlohmann::json& bug = first != nullptr ? *first : result.report["bugs"][0];
    line += fmt::format("{} in schedule {}", bug.value("kind", ""), grouped(bug.value("schedule", std::uint64_t{0})));
    if (bug["site"].is_string()) line += fmt::format(", at {}", bug.value("site", ""));
    if (may_need_only_time(result)) line += "; it may need only time";
  } else if (result.verdict == TestVerdict::NoThreads) {
    line += "it creates no thread";
  } else if (!result.reason.empty()) {
    line += result.reason;
  } else if (result.verdict != TestVerdict::NotRun) {
    line += fmt::format("{}{} in {}: {}", counted(result.schedules(), "schedule"), goes_on ? " in all" : "",
                        duration(result.seconds()), what_was_proved(result));
  }
  const Style& style = terminal_.style();
  const std::string stored = goes_on && !is_bug ? std::string() : regressions_of(result);  // it was told before
  terminal_.result((is_failure ? style.red(line) : is_bug ? style.yellow(line) : line) + "\n" + stored);
}

std::string what_was_proved(const TestResult& result) {
  if (result.verdict != TestVerdict::Proved && result.verdict != TestVerdict::Bound) return "nothing was proved";
  const auto up_to = [&](const char* counts) {
    const std::int64_t bound = bound_proved(result.report, counts);
    return bound == 0 ? fmt::format(" without a {}", counts)
                      : fmt::format(" with at most {}", counted(static_cast<std::uint64_t>(bound), counts));
  };
  // Of the default search the claim with delays is the stronger one where there is one.
  const bool of_delays = bound_proved(result.report, "delay") >= 0;
  const std::string which = result.verdict == TestVerdict::Proved ? "" : up_to(of_delays ? "delay" : "preemption");
  // Only what counts preemptions prunes what is equivalent.
  const bool all_run = result.verdict == TestVerdict::Bound && of_delays;
  return fmt::format("every schedule{} was run{}", which, all_run ? "" : ", or is equivalent to one that was");
}

}  // namespace heddle::cli
