// See timing.h.
#include "cli/timing.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <vector>

#include "analysis/names.h"
#include "analysis/symbolizer.h"
#include "driver/process/interrupt.h"
#include "report/claims.h"
#include "report/explain.h"
#include "report/wording.h"

namespace heddle::cli {
namespace {

constexpr double kLeast_s = 1, kMost_s = 10;
constexpr double kWorthwhile_s = 0.1;

// A wait that ended while another thread could go on, or before one with an earlier deadline.
bool is_out_of_order(const StepRecord& step) {
  return ends_by_timeout(step) &&
         ((step.flags & (StepFlags::Preemption | StepFlags::NothingEnabled)) != StepFlags::NothingEnabled);
}

// What the test itself judged. A crash or a deadlock is a bug whatever the time. In order, no thread is slow either.
bool may_need_only_time(const Bug& bug) {
  const OutcomeKind kind = bug.outcome.kind;
  const bool judged = kind == OutcomeKind::Assertion || kind == OutcomeKind::Exception || kind == OutcomeKind::Exit;
  const auto& steps = bug.execution.steps;
  return judged && !bug.is_known &&
         (!bug.slow_threads.empty() || std::any_of(steps.begin(), steps.end(), is_out_of_order));
}

// Where it shows: a line of the program, or what a test framework has printed.
std::string site_of(const Discovery& discovery) {
  Symbolizer symbolizer(discovery.modules);
  std::error_code ignored;
  Names names(discovery.bug.execution, symbolizer, std::filesystem::current_path(ignored).string());
  return place_of(discovery.bug.outcome, discovery.bug.execution, names).text + discovery.bug.outcome.printed_place;
}

std::string site_of(const Bug& bug) { return bug.site + bug.outcome.printed_place; }

// Was everything run that a bug with so many preemptions could need?
bool covers(const Coverage& coverage, unsigned preemptions) {
  if (coverage.lost != 0) return false;
  return coverage.complete || coverage.preemption_bound >= static_cast<int>(preemptions);
}

// Says of each bug that could be one of time why nobody knows.
void leave_open(std::vector<Bug>& bugs, const char* why) {
  for (Bug& bug : bugs)
    if (may_need_only_time(bug)) bug.perhaps_only_time = why;
}

// Leaves out the bugs that are known, and remembers that they came.
class OrderedObserver : public RunObserver {
 public:
  OrderedObserver(const Target& target, const Settings& settings, const std::vector<Bug>& known, Terminal& terminal)
      : RunObserver(target, settings, terminal), known_(known), came_again_(known.size(), false) {}

  void on_note(const std::string&) override {}  // the first search has said it
  void on_bug(const Discovery& discovery) override {
    const std::string site = site_of(discovery);
    bool is_known = false;
    for (std::size_t i = 0; i < known_.size(); ++i) {
      if (known_[i].outcome.kind != discovery.bug.outcome.kind || site_of(known_[i]) != site) continue;
      is_known = came_again_[i] = true;
      discovery.bug.is_known = known_[i].is_known;
    }
    if (is_known) return;
    discovery.bug.id = (known_.empty() ? 0 : known_.back().id) + ++added_;
    RunObserver::on_bug(discovery);
    new_bugs_.push_back(discovery.bug);
  }

  bool came_again(std::size_t bug) const { return came_again_[bug]; }
  std::vector<Bug>& new_bugs() { return new_bugs_; }

 private:
  const std::vector<Bug> known_;
  std::vector<bool> came_again_;
  std::vector<Bug> new_bugs_;
  int added_ = 0;
};

}  // namespace

void search_in_order(const Target& target, const Settings& settings, const RunObserver& first, Report& report,
                     Terminal& terminal) {
  if (settings.run.timeouts == Timeouts::Ordered || interrupted()) return;
  if (std::none_of(report.bugs.begin(), report.bugs.end(), may_need_only_time)) return;
  Settings ordered = settings;
  RunOptions& options = ordered.run;
  options.timeouts = Timeouts::Ordered;
  // Where such a bug is no failure, it must not hide another: the search goes on as if it had not come.
  options.time_s = settings.seconds_left();
  if (settings.timing_bugs == TimingBugs::Fail)
    options.time_s = std::min(options.time_s, std::clamp(report.seconds, kLeast_s, kMost_s));
  if (options.time_s < kWorthwhile_s) {
    leave_open(report.bugs, "there was no time to try --timeouts=ordered; give it more --time");
    return;
  }
  options.search = strategies().front().name;  // whatever found the bug: this one also proves
  options.search_options = {};
  options.resume = false;
  options.require_bound.reset();
  options.orders_file.clear();
  options.execution_log.clear();
  OrderedObserver observer(target, ordered, report.bugs, terminal);
  if (first.folder().made()) observer.take_over_folder(first.folder().path());
  const Report found = heddle::run(target, options, observer);
  const std::size_t known = report.bugs.size();
  std::move(observer.new_bugs().begin(), observer.new_bugs().end(), std::back_inserter(report.bugs));
  std::string claim = claims(found).front().line;
  if (found.coverage.lost == 0) claim.resize(std::min(claim.size(), claim.find(". ") + 1));  // the sentence that counts
  const std::string seen = fmt::format("{} with --timeouts=ordered did not show it. {}",
                                       counted(found.schedules_in_all(), "schedule"), claim);
  const bool decides = found.verdict != Verdict::None && found.stop_reason != StopReason::Interrupted;
  for (std::size_t i = 0; i < known; ++i) {
    Bug& bug = report.bugs[i];
    if (!may_need_only_time(bug) || observer.came_again(i)) continue;
    const bool decided = decides && covers(found.coverage, bug.preemptions);
    (decided ? bug.only_time : bug.perhaps_only_time) =
        decided ? seen : seen + " That is not all that it could need: more --time may decide it.";
  }
}

}  // namespace heddle::cli
