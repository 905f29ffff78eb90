// See regressions.h.
#include "cli/regressions.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <iterator>

#include "cli/bug_places.h"
#include "cli/judge_replay.h"
#include "cli/regression_store.h"
#include "cli/regression_trial.h"
#include "driver/explore/bugs.h"
#include "driver/explore/new_report.h"
#include "report/wording.h"
#include "trace/module_names.h"
#include "trace/words.h"

namespace heddle::cli {
namespace {

// Is it of the program at this path, called with these arguments?
bool is_of(const StoredBug& bug, const std::string& path, const std::vector<std::string>& command) {
  std::error_code error;
  const std::string program = std::filesystem::absolute(path, error).lexically_normal().string();
  return bug.header.program == program &&
         std::equal(bug.header.arguments.begin(), bug.header.arguments.end(), command.begin() + 1, command.end());
}

double seconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

}  // namespace

std::string note_on_others(const std::vector<StoredBug>& bugs, const std::string& program,
                           const std::vector<std::vector<std::string>>& commands, const char* others) {
  const auto is_other = [&](const StoredBug& bug) {
    return file_name(bug.header.program) == file_name(program) &&
           std::none_of(commands.begin(), commands.end(),
                        [&](const std::vector<std::string>& command) { return is_of(bug, program, command); });
  };
  const auto count = static_cast<std::size_t>(std::count_if(bugs.begin(), bugs.end(), is_other));
  if (count == 0) return {};
  return fmt::format("{} of {} {} for other {} or another folder, and not tried here: heddle list",
                     counted(count, "stored schedule"), file_name(program), count == 1 ? "is" : "are", others);
}

Regressions::Regressions(const Target& target, const Settings& settings, RunObserver& observer, Terminal& terminal)
    : target_(target), settings_(settings), observer_(observer), terminal_(terminal) {}

void Regressions::run() {
  // A search that goes on has tried them when it began, and numbers its bugs by itself.
  if (settings_.regressions == TryRegressions::No || settings_.run.resume) return;
  const RegressionStore store = RegressionStore::nearest();
  if (!store.exists()) return;
  const auto begin = std::chrono::steady_clock::now();
  const StoreContent content = store.read();
  for (const std::string& problem : content.problems) terminal_.message(problem);
  for (const StoredBug& bug : content.bugs) {
    if (!is_of(bug, target_.path, settings_.run.command)) continue;
    constexpr double kMostOfTheTime = 0.25;
    if (settings_.seconds_passed() > kMostOfTheTime * settings_.run.time_s) {
      RegressionResult& result = results_.emplace_back();
      result.key = bug.key;
      result.cause = bug.header.outcome_cause;
      result.evidence = "no time was left (--time)";
      terminal_.result(line_of(result, terminal_.style()) + "\n");
      continue;
    }
    RegressionTrial trial(bug, target_, settings_);
    results_.push_back(trial.run());
    schedules_ += trial.schedules();
    if (trial.failure())
      for (Bug& one : report_failure(trial, bug.header)) bugs_.push_back(std::move(one));
    terminal_.progress().clear();
    terminal_.result(line_of(results_.back(), terminal_.style()) + "\n");
  }
  if (results_.empty() && !settings_.quiet) {
    const std::string note = note_on_others(content.bugs, target_.path, {settings_.run.command}, "arguments");
    if (!note.empty()) terminal_.message(note);
  }
  observer_.come_behind(bugs_);
  seconds_ = seconds_since(begin);
}

// The usual way: run again in a fresh process, explained, and kept. What an entry before this one has shown is reported
// already.
std::vector<Bug> Regressions::report_failure(const RegressionTrial& trial, const TraceHeader& header) {
  const RegressionTrial::Failure& failure = *trial.failure();
  Settings settings = settings_;
  settings.run = trial.options();
  settings.run.workers = settings_.run.workers;  // for whoever repeats the search
  RunObserver observer(trial.target(), settings, terminal_);
  if (observer_.folder().made()) observer.take_over_folder(observer_.folder().path());
  observer.come_behind(bugs_);
  BugCollector collector(trial.target(), settings.run, observer);
  collector.set_folder(header.own_folder, header.made_files);
  Origin origin;
  origin.schedule = schedules_;
  origin.part = "regression";
  origin.preemptions = failure.run.execution->end.preemptions;
  const BugCollector::Candidate candidate{
      failure.plan, *failure.run.execution,   failure.run.outcome, failure.run.modules, failure.run.config,
      origin,       BugCollector::Trust::Told};
  const auto added = failure.race ? collector.add_race(candidate, *failure.race) : collector.add(candidate);
  for (const std::string& note : collector.take_notes()) observer_.on_note(note);
  if (added == BugCollector::Added::Known) {
    results_.back().evidence += fmt::format(" (known: in {})", settings_.baseline);
  } else if (added != BugCollector::Added::Yes) {
    results_.back().kind = RegressionResult::Kind::NotRun;
    results_.back().evidence =
        "what its schedule comes to is not reported as a bug, by --suppressions or for another reason";
  }
  if (observer.folder().made() && !observer_.folder().made()) observer_.take_over_folder(observer.folder().path());
  instrumented_ = instrumented_ || any_instrumented(failure.run.modules);
  racing_places_ = std::max(racing_places_, trial.options().points.size());
  steps_max_ = std::max(steps_max_, failure.run.execution->end.steps);
  return left_out_erased(std::move(collector.bugs()));
}

// A known bug must not hide a new one.
bool Regressions::end_run() const {
  const bool any_new = std::any_of(bugs_.begin(), bugs_.end(), [](const Bug& bug) { return !bug.is_known; });
  return any_new && !settings_.run.keep_going;
}

Report Regressions::report() {
  Report report = new_report(settings_.run);
  report.verdict = Verdict::Bug;
  report.stop_reason = StopReason::Bug;
  report.isolation = word_for(kIsolationWords, IsolationKind::Exec);
  report.schedules = schedules_;
  report.steps_max = steps_max_;
  report.instrumented = report.races_checked = instrumented_;  // races count, whatever --races says
  report.racing_places = racing_places_;
  report.seconds = report.seconds_in_all = seconds_;
  add_to(report);
  return report;
}

// Where the search comes upon a bug whose stored schedule ended well, that schedule was not the nearest one.
void Regressions::correct(const std::vector<Bug>& found) {
  for (RegressionResult& result : results_) {
    if (result.kind == RegressionResult::Kind::FailsAgain || result.kind == RegressionResult::Kind::FailsOtherwise)
      continue;
    const auto same = std::find_if(found.begin(), found.end(), [&](const Bug& bug) {
      return bug.id != 0 && bug.cause == result.cause &&
             (result.message.empty() || same_but_for_values(bug.outcome.message, result.message));
    });
    if (same == found.end()) continue;
    result.kind = RegressionResult::Kind::FailsAgain;
    result.evidence = fmt::format("the search found it in schedule {}", grouped(same->schedule));
    terminal_.progress().clear();
    terminal_.result(line_of(result, terminal_.style()) + "\n");
  }
}

void Regressions::add_to(Report& report) {
  correct(report.bugs);
  report.regressions = results_;
  report.bugs = left_out_erased(std::move(report.bugs));
  report.bugs.insert(report.bugs.begin(), bugs_.begin(), bugs_.end());
  if (!report.bugs.empty()) report.verdict = Verdict::Bug;
}

}  // namespace heddle::cli
