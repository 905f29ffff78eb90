// See suite_results.h.
#include "cli/suite_results.h"

#include <fmt/format.h>

#include <algorithm>

#include "driver/execute/ended_early.h"
#include "driver/process/interrupt.h"
#include "report/wording.h"
#include "trace/printable.h"

namespace heddle::cli {
namespace {

// Long enough for the search to be kept, to go on from there.
constexpr double kMostAtFirst_s = 10, kLeastAtFirst_s = 1;
constexpr double kShareAtFirst = 1.0 / 3;  // of the time, at most, if all tests take what they may

// Part of a path.
std::string file_name_for(const std::string& name) {
  constexpr std::size_t kMost = 100;
  std::string result = name.substr(0, kMost);
  std::replace_if(
      result.begin(), result.end(), [](unsigned char c) { return std::isalnum(c) == 0 && c != '.' && c != '-'; }, '_');
  return result.empty() || result[0] == '.' || result[0] == '-' ? "_" + result : result;
}

std::string first_line_of(const std::string& text) { return text.substr(0, text.find('\n')); }

// Empty: it is no text.
std::string text_of(const nlohmann::json& report, const char* field) {
  const auto found = report.find(field);
  return found != report.end() && found->is_string() ? found->get<std::string>() : std::string();
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

// A line for each stored bug that was tried.
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

SuiteResults::SuiteResults(const Settings& settings, const std::string& folder, std::vector<ListedTest> tests,
                           Terminal& terminal)
    : settings_(settings), terminal_(terminal) {
  constexpr std::size_t kWidest = 50;
  for (ListedTest& test : tests) {
    name_width_ = std::max(name_width_, std::min(test.name.size(), kWidest));
    results_.emplace_back();
    results_.back().folder = fmt::format("{}/{}-{}", folder, results_.size(), file_name_for(test.name));
    results_.back().test = std::move(test);
  }
}

std::vector<std::size_t> SuiteResults::with_more() const {
  std::vector<std::size_t> tests;
  for (std::size_t i = 0; i < results_.size(); ++i)
    if (has_more(results_[i], settings_.timing_bugs)) tests.push_back(i);
  return tests;
}

std::size_t SuiteResults::ended() const {
  return static_cast<std::size_t>(std::count_if(results_.begin(), results_.end(), [](const TestResult& result) {
    return result.verdict != TestVerdict::NotRun;
  }));
}

void SuiteResults::take(std::size_t test, EndedTest ended) {
  TestResult& result = results_[test];
  const bool had_one = !result.report.is_null();
  if (ended.report.is_null() && had_one) return;
  if (had_one && ended.goes_on) carry_over_regressions(result.report, ended.report);
  result.report = std::move(ended.report);
  result.verdict =
      interrupted() && result.report.is_null() ? TestVerdict::NotRun : verdict_of(result.report, ended.status);
  result.reason.clear();
  if (result.verdict == TestVerdict::Failed) result.reason = std::move(ended.why_failed);
  if (result.verdict == TestVerdict::NoVerdict && result.report["no_verdict_reason"].is_string())
    result.reason = first_line_of(result.report["no_verdict_reason"]);
  tell(result, had_one && ended.goes_on);
}

void SuiteResults::tell(const TestResult& result, bool goes_on) {
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
  line = printable(line);
  const Style& style = terminal_.style();
  const std::string stored = goes_on && !is_bug ? std::string() : regressions_of(result);  // it was told before
  terminal_.result((is_failure ? style.red(line) : is_bug ? style.yellow(line) : line) + "\n" + stored);
}

double first_share_s(double all_s, double side_by_side, std::size_t tests) {
  const double fair_s = all_s * kShareAtFirst * side_by_side / static_cast<double>(tests);
  return std::clamp(fair_s, std::min(kLeastAtFirst_s, all_s), kMostAtFirst_s);
}

std::string note_on_more(std::size_t tests, double each_s) {
  return fmt::format("{} had schedules left: {} more for {}", counted(tests, "test"), duration(each_s),
                     tests == 1 ? "it" : "each");
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
