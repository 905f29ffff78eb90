// See bugs.h.
#include "driver/explore/bugs.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "analysis/back_off.h"
#include "analysis/names.h"
#include "analysis/symbolizer.h"
#include "driver/execute/instability.h"
#include "driver/execute/replay.h"
#include "report/explain_race.h"
#include "report/wording.h"
#include "trace/compare.h"
#include "trace/module_names.h"

namespace heddle {
namespace {

unsigned count_timeouts(OutcomeKind kind, const Execution& execution) {
  const auto end = execution.steps.begin() + static_cast<std::ptrdiff_t>(steps_before_ticks(kind, execution));
  return static_cast<unsigned>(
      std::count_if(execution.steps.begin(), end, [](const StepRecord& step) { return ends_by_timeout(step); }));
}

std::string text_of(const Divergence& divergence) {
  return "step " + std::to_string(divergence.step) + " should be \"" + divergence.expected + "\" and was \"" +
         divergence.seen + "\"";
}

// A replay may know a place that the search does not: it loads what finds call stacks, the search takes it if it is
// there.
bool is_same(const Outcome& one, const ModuleMap& its_modules, const Outcome& other, const ModuleMap& others) {
  if (bug_identity(one, its_modules) != bug_identity(other, others)) return false;
  const std::string its_place = place_of_failure(one, its_modules), others_place = place_of_failure(other, others);
  return its_place.empty() || others_place.empty() || its_place == others_place;
}

// Whether the same bug came out is what counts; where the steps differ all the same, the detail says so.
void judge(Bug& bug, const ModuleMap& modules, const ReplayResult& again) {
  if (!again.execution) {
    bug.replay = Bug::Replay::Diverged;
    bug.replay_detail = again.problem;
    return;
  }
  const auto divergence = compare(bug.execution, *again.execution);
  if (divergence)
    bug.replay_detail = text_of(*divergence) + likely_inputs(*again.execution, divergence->step, again.modules);
  if (is_same(bug.outcome, modules, again.outcome, again.modules)) {
    bug.replay = Bug::Replay::Reproduced;
  } else if (divergence || again.outcome.kind == OutcomeKind::Diverged) {
    bug.replay = Bug::Replay::Diverged;
    if (bug.replay_detail.empty()) bug.replay_detail = again.outcome.message;
  } else {
    bug.replay = Bug::Replay::Different;
    bug.replay_detail = again.outcome.kind == OutcomeKind::Ok ? "the same steps, and the program ended well"
                                                              : "the same steps, then: " + again.outcome.message;
  }
}

}  // namespace

std::string describe_race(const ExecutionRace& race, const Execution& execution, const ModuleMap& modules) {
  Symbolizer symbolizer(modules);
  std::error_code error;
  Names names(execution, symbolizer, std::filesystem::current_path(error).string());
  const auto place = [&](Site site) { return names.places().full_name(names.places().of_site(site)).text; };
  const std::string variable = names.variable(race);
  return place(race.later.site) + " and " + place(race.earlier.site) + " access " +
         (variable.empty() ? "the same memory" : variable) + ", and nothing orders them";
}

std::string bug_identity(const Outcome& outcome, const ModuleMap& modules) {
  const ModuleNames names(modules);
  std::vector<std::string> sites;
  for (const Site site : outcome.final_sites) sites.push_back(names.text(site));
  std::sort(sites.begin(), sites.end());
  std::string identity = name(outcome.kind);
  for (const std::string& site : sites) identity += " " + site;
  return identity;
}

std::string place_of_failure(const Outcome& outcome, const ModuleMap& modules) {
  if (outcome.stack.empty()) return {};
  Symbolizer symbolizer(modules);
  std::vector<Site> stack = outcome.stack;
  ++stack.front();  // the place of a fault is no return address
  for (const Site site : stack)
    for (const Frame& frame : symbolizer.frames(site))
      if (is_user_code(frame))
        return frame.file.empty() ? symbolizer.raw(site) : frame.file + ":" + std::to_string(frame.line);
  return {};
}

namespace {

Bug make_bug(std::size_t before, const BugCollector::Candidate& candidate, const Outcome& outcome) {
  Bug bug;
  bug.id = static_cast<int>(before) + 1;
  bug.outcome = outcome;
  bug.schedule = candidate.origin.schedule;
  bug.found_by = candidate.origin.part;
  bug.preemptions_at_first = candidate.origin.preemptions;
  bug.preemptions = candidate.execution.end.preemptions;
  bug.needs_preemptions = candidate.origin.needs_them;
  bug.moment = candidate.origin.moment;
  bug.tried = candidate.origin.tried;
  bug.timeouts = count_timeouts(outcome.kind, candidate.execution);
  bug.execution = candidate.execution;
  return bug;
}

// The replay's outcome is that race, if it has it.
void take_race(const Bug& bug, const ModuleMap& modules, ReplayResult& again) {
  if (!is_of_accesses(bug.outcome.kind) || !again.execution) return;
  const ExecutionRace* const found = same_race(*again.execution, again.modules, bug.execution.races[0], modules);
  if (found == nullptr) return;
  const ExecutionRace race = *found;
  again.outcome = race_outcome(race);
  again.execution->races = {race};
  again.execution->output.clear();
}

}  // namespace

namespace {

// What is one race to the user.
std::string lines_of(const ExecutionRace& race, Symbolizer& symbolizer) {
  // With the functions that it was inlined into: a line of a library's header is many races.
  const auto lines = [&](Site site) {
    std::string result;
    for (const Frame& frame : symbolizer.frames(site))
      result += frame.file.empty() ? symbolizer.raw(site) : frame.file + ":" + std::to_string(frame.line) + " ";
    return result;
  };
  std::string one = lines(race.earlier.site), other = lines(race.later.site);
  if (other < one) std::swap(one, other);
  return one + "\n" + other + "\n" + symbolizer.variable(race.later.address);
}

}  // namespace

bool BugCollector::is_suppressed(const ExecutionRace& race, const ModuleMap& modules) {
  if (suppressions_.empty()) return false;
  Symbolizer symbolizer(modules);
  const auto match = [&](const RaceRecord& access, const std::vector<Site>& stack) {
    return suppressions_.match_code(stack.empty() ? std::vector<Site>{access.site} : stack, symbolizer);
  };
  std::string rule = match(race.earlier, race.earlier_stack);
  if (rule.empty()) rule = match(race.later, race.later_stack);
  if (rule.empty()) rule = suppressions_.match(symbolizer.variable(race.later.address));
  if (rule.empty()) return false;
  suppressed_[rule].insert(lines_of(race, symbolizer));
  return true;
}

std::vector<std::string> BugCollector::about_suppressions(bool whole_search) const {
  std::vector<std::string> result;
  for (const std::string& rule : suppressions_.rules()) {
    const auto found = suppressed_.find(rule);
    if (found != suppressed_.end())
      result.push_back(fmt::format("{} suppressed by {}", counted(found->second.size(), "race"), rule));
    else if (whole_search)
      result.push_back(fmt::format("--suppressions: {} matched no race", rule));
  }
  return result;
}

bool BugCollector::is_new(const ExecutionRace& race, const ModuleMap& modules) {
  Symbolizer symbolizer(modules);
  return races_.insert(lines_of(race, symbolizer)).second;
}

void BugCollector::forget(const ExecutionRace& race, const ModuleMap& modules) {
  Symbolizer symbolizer(modules);
  races_.erase(lines_of(race, symbolizer));
}

std::string BugCollector::key_of(const Outcome& outcome, const ModuleMap& modules) {
  std::string identity = bug_identity(outcome, modules);
  if (outcome.stack.empty()) return identity;
  const auto [place, added] = places_.try_emplace(outcome.stack);
  if (added) place->second = place_of_failure(outcome, modules);
  return identity + " in " + place->second;
}

BugCollector::Added BugCollector::add(const Candidate& candidate) {
  const std::string key = key_of(candidate.outcome, candidate.modules);
  if (!known_.insert(key).second) return Added::No;
  bugs_.push_back(make_bug(bugs_.size(), candidate, candidate.outcome));
  bugs_.back().execution.races.clear();
  // It says nothing of schedules that read more old values.
  if (options_.memory != MemoryModel::Sc) bugs_.back().needs_preemptions = false;
  const Added added = confirm(candidate);
  if (added == Added::Doubtful) known_.erase(key);
  return added;
}

BugCollector::Added BugCollector::add_race(const Candidate& candidate, const ExecutionRace& race) {
  const Outcome outcome = race_outcome(race);
  const std::string key = key_of(outcome, candidate.modules);
  if (!known_.insert(key).second) return Added::No;
  Bug bug = make_bug(bugs_.size(), candidate, outcome);
  bug.execution.races = {race};
  bug.execution.output.clear();  // what it printed has nothing to do with it
  const Candidate own{candidate.plan,   candidate.execution, outcome,        candidate.modules,
                      candidate.config, candidate.origin,    candidate.trust};
  bugs_.push_back(std::move(bug));
  const Added added = confirm(own);
  if (added == Added::Doubtful) known_.erase(key);
  return added;
}

ReplayResult BugCollector::run_again(const Bug& bug, const Plan& plan, const ModuleMap& modules) {
  ReplayResult again = replay(target_, options_, plan, own_folder_);
  take_race(bug, modules, again);
  return again;
}

// Some races are suppressed by call stacks, which only the replay has.
bool BugCollector::may_confirm() const {
  if (bugs_.size() == 1 || !suppressions_.rules().empty()) return true;
  return clock_.seconds() + longest_report_s_ < options_.time_s + kGrace_s;
}

bool BugCollector::is_reported(const Bug& race, const ModuleMap& modules) {
  Symbolizer symbolizer(modules);
  std::error_code error;
  Names names(race.execution, symbolizer, std::filesystem::current_path(error).string());
  return !races_.insert(lines_and_memory(race.execution, names)).second;
}

bool BugCollector::is_none(const Bug& bug, const ModuleMap& modules) {
  if (is_of_accesses(bug.outcome.kind))
    return is_suppressed(bug.execution.races[0], modules) || is_reported(bug, modules);
  if (bug.outcome.kind != OutcomeKind::Livelock) return false;
  Symbolizer symbolizer(modules);
  if (comes_too_late_for_a_lock(bug.execution, symbolizer)) {
    notes_.emplace_back(
        "there are schedules in which a thread is woken for a lock of a library and finds it taken again each time, "
        "for ever, since the thread that unlocks it locks it again at once: such a lock promises no more, and it is "
        "no bug");
    return true;
  }
  if (!only_lock_algorithms_go_round(bug.execution, symbolizer)) return false;
  notes_.emplace_back(
      "there are schedules in which threads in std::lock, or in std::scoped_lock with several mutexes, back off from "
      "each other for ever, since each is stopped at the wrong moment in every round: these can't do better, and it "
      "is no bug");
  return true;
}

BugCollector::Added BugCollector::tell(Bug& bug, const Plan& plan, const ModuleMap& modules, const Config& config) {
  observer_.on_bug({bug, plan, modules, config, options_.points, options_.spins, own_folder_, made_files_});
  return bug.is_known ? Added::Known : Added::Yes;
}

BugCollector::Added BugCollector::confirm(const Candidate& candidate) {
  const auto begin = RunClock::Clock::now();
  const Added added = confirm_in_time(candidate);
  longest_report_s_ = std::max(longest_report_s_, RunClock::seconds_since(begin));
  return added;
}

BugCollector::Added BugCollector::confirm_in_time(const Candidate& candidate) {
  Bug& bug = bugs_.back();
  const Plan plan = dense_plan(bug.execution, candidate.plan);
  const bool no_time = !may_confirm();
  if (no_time && candidate.trust == Trust::Confirmed) {
    bugs_.pop_back();
    return Added::Doubtful;
  }
  if (no_time) {
    bug.replay_detail = "the time was up";
    return tell(bug, plan, candidate.modules, candidate.config);
  }
  ReplayResult again = run_again(bug, plan, candidate.modules);
  judge(bug, candidate.modules, again);
  const bool reproduced = bug.replay == Bug::Replay::Reproduced;
  if (!reproduced && candidate.trust != Trust::Told) {
    bugs_.pop_back();
    return Added::Doubtful;
  }
  notes_.insert(notes_.end(), again.notes.begin(), again.notes.end());
  if (reproduced) {
    bug.execution = std::move(*again.execution);
    bug.outcome = again.outcome;
    if (!is_of_accesses(bug.outcome.kind)) bug.execution.races.clear();
  }
  if (is_none(bug, again.modules)) {
    bugs_.pop_back();
    return Added::No;
  }
  return reproduced ? tell(bug, plan, again.modules, again.config)
                    : tell(bug, plan, candidate.modules, candidate.config);
}

}  // namespace heddle
