// See suite_report.h.
#include "cli/suite_report.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/annotations.h"
#include "cli/junit.h"
#include "cli/reported_bugs.h"
#include "cli/sarif.h"
#include "cli/suite_bugs.h"
#include "cli/suite_claims.h"
#include "driver/process/interrupt.h"
#include "driver/target/program_name.h"
#include "report/claims.h"
#include "report/wording.h"
#include "trace/atomic_file.h"
#include "trace/printable.h"
#include "trace/version.h"

namespace heddle::cli {
namespace {

std::vector<NamedReport> reports_of(const std::vector<TestResult>& results) {
  std::vector<NamedReport> reports;
  reports.reserve(results.size());
  for (const TestResult& result : results) reports.push_back({result.test.name, result.report});
  return reports;
}

// Each bug once more, with its number in the suite and what to do about it.
std::string text_of(const std::vector<ReportedBug>& bugs, const Settings& settings) {
  std::string text;
  for (std::size_t i = 0; i < bugs.size(); ++i) {
    const ReportedBug& one = bugs[i];
    text += fmt::format("\nBug {} in {}: {}{}\n{}\n", i + 1, one.test, one.text("kind"),
                        one.bug.value("needs_only_time", false) ? ", needs only time" : "",
                        indented(one.text("message"), "  "));
    if (const std::string site = one.text("site"); !site.empty()) text += fmt::format("  at {}\n", site);
    if (const std::string pattern = one.text("pattern"); !pattern.empty())
      text += fmt::format("  {}: {}\n", pattern, one.text("pattern_text"));
    if (one.bug.value("known", false)) text += fmt::format("  known: in {}\n", settings.baseline);
    const std::string trace = one.text("trace");
    if (trace.empty()) continue;
    const std::string path = shell_quoted(trace);
    const std::string page = shell_quoted(trace.substr(0, trace.rfind('.')) + ".html");
    text +=
        fmt::format("  see it:    heddle show {}\n  browser:   {}\n  repeat it: heddle replay {}\n", path, page, path);
  }
  return text;
}

// A suite that relies on time fails in many tests. That is no news to who wrote it.
std::string advice(const std::vector<TestResult>& results) {
  const auto of_time = std::count_if(results.begin(), results.end(), may_need_only_time);
  if (of_time == 0) return {};
  return fmt::format(
      "Next: {} may have failed only because a wait ended early or a thread was slow: --timeouts=ordered leaves that "
      "out.\n",
      counted(static_cast<std::size_t>(of_time), "test"));
}

std::string totals(const std::vector<TestResult>& results) {
  struct Kind {
    TestVerdict verdict;
    const char* words;
  };
  constexpr Kind kKinds[] = {{TestVerdict::Bug, "with a bug"},
                             {TestVerdict::Timing, "with a bug that needs only time"},
                             {TestVerdict::Known, "with known bugs only"},
                             {TestVerdict::Proved, "explored completely"},
                             {TestVerdict::Bound, "proved up to a bound"},
                             {TestVerdict::NotProved, "without a bug and with nothing proved"},
                             {TestVerdict::NoVerdict, "without a verdict"},
                             {TestVerdict::NoThreads, "without threads"},
                             {TestVerdict::Failed, "that can't be run"},
                             {TestVerdict::NotRun, "not run"}};
  std::string parts;
  std::uint64_t schedules = 0;
  for (const TestResult& result : results) schedules += result.schedules();
  for (const Kind& kind : kKinds) {
    const auto count =
        std::count_if(results.begin(), results.end(), [&](const auto& one) { return one.verdict == kind.verdict; });
    if (count != 0) parts += fmt::format("{}{} {}", parts.empty() ? "" : ", ", count, kind.words);
  }
  const bool any_plain = std::any_of(results.begin(), results.end(), [](const TestResult& result) {
    return !result.report.is_null() && result.schedules() != 0 && result.report.value("points", "") == kPoints;
  });
  const bool any_without_races = std::any_of(results.begin(), results.end(), [](const TestResult& result) {
    const auto claims = result.report.is_object() ? result.report.value("claims", nlohmann::json::array()) : nullptr;
    return std::any_of(claims.begin(), claims.end(), [](const nlohmann::json& claim) {
      return claim.is_object() && claim.value("line", "") == "Not checked: data races.";
    });
  });
  const char* const unchecked = any_plain
                                    ? "Not checked: data races and atomics (build with heddle-c++ to check them).\n"
                                : any_without_races ? "Not checked: data races (heddle run says why for each test).\n"
                                                    : "";
  return fmt::format("\nheddle: {}{}: {} ({})\n{}", interrupted() ? "interrupted: " : "",
                     counted(results.size(), "test"), parts, counted(schedules, "schedule"), unchecked);
}

std::string as_json(const Settings& settings, const std::string& framework, const std::vector<TestResult>& results) {
  nlohmann::json tests = nlohmann::json::array();
  for (const TestResult& result : results)
    tests.push_back({{"name", result.test.name},
                     {"arguments", result.test.words},
                     {"result", name(result.verdict)},
                     {"reason", result.reason.empty() ? nlohmann::json() : nlohmann::json(result.reason)},
                     {"report", result.report}});
  return suite_json(settings, framework, nlohmann::json{{"tests", tests}});
}

// False: some file could not be written.
bool keep(const Settings& settings, const std::string& framework, const std::vector<TestResult>& results,
          const std::vector<ReportedBug>& bugs, Terminal& terminal) {
  const std::string program = program_name(settings.run.command);
  bool kept = true;
  const auto write = [&](const std::string& file, const std::string& text) {
    const std::string error = file == "-" ? terminal.json(text) : write_file(file, text);
    if (error.empty()) return;
    terminal.message(error);
    kept = false;
  };
  if (!settings.json.empty()) write(settings.json, as_json(settings, framework, results));
  if (!settings.junit.empty()) write(settings.junit, junit(program, results));
  if (!settings.sarif.empty()) write(settings.sarif, sarif(bugs, {program, source_root(), !settings.baseline.empty()}));
  return kept;
}

}  // namespace

ExitStatus status_of_suite(const std::vector<TestResult>& results) {
  const auto any = [&](TestVerdict verdict) {
    return std::any_of(results.begin(), results.end(), [&](const auto& one) { return one.verdict == verdict; });
  };
  if (any(TestVerdict::Bug)) return ExitStatus::Bug;
  if (interrupted()) return ExitStatus::Interrupted;
  if (any(TestVerdict::Failed)) return ExitStatus::WrongUse;
  const bool any_explored = any(TestVerdict::Timing) || any(TestVerdict::Known) || any(TestVerdict::Proved) ||
                            any(TestVerdict::Bound) || any(TestVerdict::NotProved);
  return any_explored && !any(TestVerdict::NoVerdict) ? ExitStatus::NoBug : ExitStatus::NoVerdict;
}

std::string suite_json(const Settings& settings, const std::string& framework, nlohmann::json parts) {
  parts["format_version"] = 1;
  parts["heddle_version"] = kHeddleVersion;
  parts["command"] = settings.run.command;
  parts["framework"] = framework.empty() ? nlohmann::json() : nlohmann::json(framework);
  return parts.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

ExitStatus conclude_suite(const Settings& settings, const std::string& framework, const std::string& folder,
                          const std::vector<TestResult>& results, Terminal& terminal) {
  const std::vector<NamedReport> reports = reports_of(results);
  const std::vector<ReportedBug> bugs = bugs_of(reports, settings.timing_bugs);
  if (const std::string error = link_bugs(folder, bugs); !error.empty()) terminal.message(error);
  terminal.result(printable(text_of(bugs, settings)) + totals(results) + advice(results));
  if (settings.explain) terminal.result(explained_claims(results, terminal.style(), terminal.width()));
  if (is_github_step()) terminal.result(annotations(bugs, source_root()));
  const bool kept = keep(settings, framework, results, bugs, terminal);
  const ExitStatus status = status_of_suite(results);
  return kept || status == ExitStatus::Bug ? status : ExitStatus::WrongUse;
}

}  // namespace heddle::cli
