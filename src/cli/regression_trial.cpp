// See regression_trial.h.
#include "cli/regression_trial.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <utility>
#include <variant>

#include "analysis/script_view.h"
#include "analysis/symbolizer.h"
#include "cli/bug_cause.h"
#include "cli/bug_places.h"
#include "cli/from_trace.h"
#include "cli/judge_replay.h"
#include "cli/point_lines.h"
#include "driver/execute/ended_early.h"
#include "driver/execute/executor.h"
#include "driver/execute/plan_ids.h"
#include "driver/explore/bugs.h"
#include "driver/explore/nearby.h"
#include "driver/process/interrupt.h"
#include "report/explain.h"
#include "report/wording.h"
#include "trace/module_names.h"

namespace heddle::cli {
namespace {

using Kind = RegressionResult::Kind;

constexpr std::uint64_t kMostAround = 300;
constexpr double kMostAround_s = 1;
constexpr double kMostOfTheTime = 0.5;  // none begins behind a quarter; the rest is for the search
constexpr const char* kOfItself = "its schedule fails as it did";
constexpr const char* kNear = "a schedule near it fails as it did";

// How the program is run: as it was when the bug was found. What is asked of the run wins where it makes no difference
// to what the program does.
RunOptions options_for(const TraceHeader& header, const Settings& settings) {
  const RunOptions then = options_of(header);
  RunOptions options = settings.run;
  options.clock = then.clock;
  options.input_seed = then.input_seed;
  options.processors = then.processors;
  options.timeouts = then.timeouts;
  options.fair = then.fair;
  options.slow_threads = then.slow_threads;
  options.spurious_wakeups = then.spurious_wakeups;
  options.memory = then.memory;
  options.max_stale = then.max_stale;
  options.fill = then.fill;
  options.patch = then.patch;
  options.start_at = then.start_at;
  options.target = then.target;
  options.python = then.python;
  options.follow_fork = then.follow_fork;
  const bool given = std::find(settings.given.begin(), settings.given.end(), "--ok-exit") != settings.given.end();
  if (!given) options.ok_exit = then.ok_exit;
  options.races = RaceMode::Bug;
  options.points.clear();
  options.spins.clear();
  options.workers = 1;
  options.resume = false;
  options.execution_log.clear();
  options.orders_file.clear();
  return options;
}

std::vector<std::string> paths_of(const ModuleMap& modules) {
  std::vector<std::string> paths;
  for (const ModuleMap::Entry& module : modules.entries()) paths.push_back(module.path);
  return paths;
}

// Where these lines of files are now.
std::vector<CodePlace> places_now(const std::vector<CodePlace>& places, const std::vector<SourceLine>& lines,
                                  const std::vector<std::string>& paths) {
  TraceHeader wanted;
  for (std::size_t i = 0; i < places.size(); ++i) {
    const auto is_in = [&](const std::string& path) { return file_name(path) == places[i].file; };
    if (std::none_of(paths.begin(), paths.end(), is_in)) continue;
    wanted.points.push_back(places[i]);
    wanted.point_lines.push_back(lines[i]);
  }
  return points_in_builds(wanted, paths).points;
}

std::size_t hash_of_choices(const Execution& execution) {
  std::string bytes;
  bytes.reserve(execution.steps.size() * 4);
  for (const StepRecord& step : execution.steps)
    for (const unsigned value : {unsigned{step.task}, unsigned{step.variant}}) {
      bytes += static_cast<char>(value & 0xff);
      bytes += static_cast<char>(value >> 8);
    }
  return std::hash<std::string>()(bytes);
}

// "lock at `lock(b);` in take() (pool.cpp:12)"
std::string words_of_step(const PlacedDelta& delta) {
  const std::string where = words_of(delta.place);
  return fmt::format("{}{}{}", name(delta.operation), where.empty() ? "" : " at ", where);
}

// Is this reported as the stored bug is?
bool is_same_bug(const StoredBug& bug, const Outcome& outcome, const Execution& execution, Names& names) {
  const TraceHeader& then = bug.header;
  if (then.outcome_kind != name(outcome.kind)) return false;
  const std::vector<SourceLine> places = places_of(outcome, execution, names);
  const std::string message = explained_message(outcome, execution, names);
  const bool same_cause =
      key_of(outcome, cause_of(outcome, execution, places, names, then.arguments)) == then.outcome_key;
  if (same_cause && (!places.empty() || same_but_for_values(then.outcome_message, message))) return true;
  return same_texts(then.outcome_places, places) ||
         (same_in_words(then.outcome_message, message) && same_places(then.outcome_places, places));
}

}  // namespace

RegressionTrial::RegressionTrial(const StoredBug& bug, const Target& target, const Settings& settings)
    : bug_(bug), settings_(settings), target_(target), options_(options_for(bug.header, settings)) {
  result_.key = bug.key;
  result_.cause = bug.header.outcome_cause;
  if (bug.header.outcome_places.empty()) result_.message = bug.header.outcome_message;
  plan_.id = 1;
  plan_.stacks = true;
  plan_.max_steps = std::min(options_.max_steps, kMostPlacedSteps);
  plan_.fair = options_.fair;
  plan_.slow_threads = options_.slow_threads;
}

const RegressionResult& RegressionTrial::run() {
  bool open = prepare() && run_first() && place_points();
  for (const PlacedDelta& delta : *bug_.header.placed_deltas) open = open && follow(delta);
  if (open && is_usable()) look_around();
  return result_;
}

bool RegressionTrial::settle(Kind kind, std::string evidence) {
  result_.kind = kind;
  result_.evidence = std::move(evidence);
  return false;
}

bool RegressionTrial::prepare() {
  auto inspected = inspect_target(options_);
  if (const auto* error = std::get_if<TargetError>(&inspected)) return settle(Kind::NotRun, error->message);
  std::set<std::string> folder = std::move(target_.folder);
  target_ = std::get<Target>(std::move(inspected));
  target_.folder = std::move(folder);
  for (const std::string& made : bug_.header.made_files) target_.folder.erase(made);
  return true;
}

// Where loops have to be found before the program comes to its end, the first run shows which files it loads.
bool RegressionTrial::run_first() {
  constexpr std::uint32_t kFew = 1'000;
  if (bug_.header.spins.empty()) return run_schedule();
  Plan plan = plan_;
  plan.max_steps = std::min(plan.max_steps, kFew);
  last_ = replay(target_, options_, plan, bug_.header.own_folder);
  return last_.execution || settle(Kind::NotRun, "its schedule could not be run: " + last_.problem);
}

bool RegressionTrial::run_schedule() {
  if (interrupted()) return settle(Kind::NotRun, "it was interrupted");
  if (settings_.seconds_passed() > kMostOfTheTime * settings_.run.time_s)
    return settle(Kind::NotRun, "no time was left (--time)");
  ReplayResult run = replay(target_, options_, plan_, bug_.header.own_folder);
  ++schedules_;
  if (!run.execution) return settle(Kind::NotRun, "its schedule could not be run: " + run.problem);
  // It has come as far as before, and there the choice is none.
  if (run.outcome.kind == OutcomeKind::Diverged && !plan_.deltas.empty()) {
    plan_.deltas.pop_back();
    impossible_.push_back(run.outcome.message);
    return true;
  }
  if (!judge(plan_, std::move(run), kOfItself)) return false;
  Symbolizer symbolizer(last_.modules);
  Names names(*last_.execution, symbolizer, current_folder());
  placed_ = place(*last_.execution, names);
  return true;
}

// Of a race: it has come again if this execution has it, however it ended. True: nothing failed, and `last_` has the
// run.
bool RegressionTrial::judge(const Plan& plan, ReplayResult&& run, const char* which) {
  Symbolizer symbolizer(run.modules);
  const auto fails = [&](const std::optional<ExecutionRace>& race, bool is_same, const std::string& evidence) {
    failure_.emplace(Failure{plan, std::move(run), race, is_same});
    return settle(is_same ? Kind::FailsAgain : Kind::FailsOtherwise, evidence);
  };
  if (is_of_accesses(bug_.header.outcome_kind)) {
    const std::vector<ExecutionRace> races = run.execution->races;
    for (const ExecutionRace& race : races) {
      run.execution->races = {race};
      Names names(*run.execution, symbolizer, current_folder());
      const bool is_same = is_same_bug(bug_, race_outcome(race), *run.execution, names);
      run.execution->races = races;
      if (is_same) return fails(race, true, which);
    }
  }
  if (!is_bug(run.outcome.kind)) return last_ = std::move(run), true;
  const ScriptView view(*run.execution);
  Names names(view.execution(), symbolizer, current_folder());
  // A search would have such a loop count as yielding, and begin anew.
  const bool only_warned = run.outcome.kind == OutcomeKind::GoodSamaritan && options_.samaritan == SamaritanMode::Warn;
  if (only_warned && bug_.header.outcome_kind != name(run.outcome.kind)) return last_ = std::move(run), true;
  if (is_same_bug(bug_, run.outcome, view.execution(), names)) return fails({}, true, which);
  const std::string message = explained_message(run.outcome, view.execution(), names);
  return fails({}, false, fmt::format("{}: {}", name(run.outcome.kind), message.substr(0, message.find('\n'))));
}

bool RegressionTrial::place_points() {
  const TraceHeader& header = bug_.header;
  const bool needs_accesses = is_of_accesses(header.outcome_kind) || !header.points.empty();
  if (needs_accesses && !any_instrumented(last_.modules))
    return settle(Kind::NotRun,
                  "nothing of this build was compiled with heddle-cc or heddle-c++: its accesses to memory are not "
                  "seen");
  if (header.points.empty() && header.spins.empty()) return true;
  const std::vector<std::string> paths = paths_of(last_.modules);
  options_.points = places_now(header.points, header.point_lines, paths);
  if (options_.points.empty() && !header.points.empty())
    return settle(Kind::NoLongerApplies,
                  fmt::format("{} is not there any more, where accesses raced", words_of(header.point_lines.front())));
  for (std::size_t i = 0; i < header.spins.size(); ++i)
    for (const CodePlace& place : places_now({header.spins[i].place}, {header.spin_lines[i]}, paths))
      options_.spins.push_back({place, header.spins[i].period});
  return run_schedule();
}

bool RegressionTrial::follow(const PlacedDelta& delta) {
  const FoundDelta found = find_delta(delta, *last_.execution, placed_, first_);
  switch (found.what) {
    case FoundDelta::What::NoPlace:
      return settle(Kind::NoLongerApplies,
                    fmt::format("{} does not come to {} any more", delta.thread.name, words_of_step(delta)));
    case FoundDelta::What::NoThread:
      return settle(Kind::NoLongerApplies, fmt::format("of the threads {} and {} one is not there any more",
                                                       delta.thread.name, delta.next.name));
    case FoundDelta::What::Impossible:
      impossible_.push_back(fmt::format("{} can't go on before the {}", delta.next.name, words_of_step(delta)));
      return true;
    case FoundDelta::What::Found:
      break;
  }
  plan_.deltas.push_back(found.delta);
  first_ = found.delta.step + 1;
  const StepRecord& there = last_.execution->steps[found.delta.step];
  if (found.delta.choice == Choice{there.task, there.variant}) return true;  // it comes by default now
  return run_schedule();
}

// Did the schedule come to an end that says something?
bool RegressionTrial::is_usable() {
  if (last_.outcome.kind == OutcomeKind::Ok) return true;
  return settle(Kind::NotRun, "its schedule came to no verdict: " + last_.outcome.message);
}

// --- around it

void RegressionTrial::look_around() {
  distinct_.insert(hash_of_choices(*last_.execution));
  Nearby nearby(plan_.deltas, static_cast<std::uint32_t>(last_.execution->steps.size()));
  Executor executor(target_, options_);
  const auto begin = std::chrono::steady_clock::now();
  std::uint64_t tried = 0;
  bool open = !plan_.deltas.empty();
  while (open && !interrupted()) {
    const bool is_late =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count() >= kMostAround_s;
    while (!is_late && tried < kMostAround && executor.can_take()) {
      auto deltas = nearby.next();
      if (!deltas) break;
      Plan plan = plan_;
      plan.id = kReductionFlag | ++tried;  // run once, whatever comes of it
      plan.deltas = std::move(*deltas);
      plan.stacks = false;
      plan.finish_freely = true;  // a delta that is not possible is left out, with what comes behind it
      plan.max_steps = static_cast<std::uint32_t>(last_.execution->steps.size()) * 4 + 1'000;
      executor.submit(std::move(plan));
    }
    if (is_late || executor.outstanding() == 0) break;
    auto event = executor.poll(std::chrono::milliseconds(100));
    if (!event) continue;
    if (auto* finished = std::get_if<ExecutionFinished>(&*event))
      open = take_nearby(*finished, executor.session().modules());
    else
      open = std::holds_alternative<PlanLost>(*event) || std::holds_alternative<Restarted>(*event);
  }
  if (failure_) return;
  interrupted() ? settle(Kind::NotRun, "it was interrupted") : settle(Kind::Fixed, evidence());
}

// False: it fails.
bool RegressionTrial::take_nearby(ExecutionFinished& event, const ModuleMap& modules) {
  ++schedules_;
  const Execution& execution = *event.execution;
  if (execution.damaged || !event.ended_because.empty()) return true;
  const Outcome outcome = classify(execution, options_.ok_exit);
  if (is_worth_a_look(execution, outcome, modules)) return confirm(event.plan, execution);
  if (outcome.kind == OutcomeKind::Ok) distinct_.insert(hash_of_choices(execution));
  return true;
}

// Is it a failure, or a race, that was not seen before?
bool RegressionTrial::is_worth_a_look(const Execution& execution, const Outcome& outcome, const ModuleMap& modules) {
  bool is_new = is_bug(outcome.kind) && known_.insert(bug_identity(outcome, modules)).second;
  if (is_of_accesses(bug_.header.outcome_kind))
    for (const ExecutionRace& race : execution.races)
      if (known_.insert(bug_identity(race_outcome(race), modules)).second) is_new = true;
  return is_new;
}

// With call stacks, by which it is told from others. A failure that does not come again in a fresh process is none that
// can be reported.
bool RegressionTrial::confirm(const Plan& plan, const Execution& execution) {
  Plan dense = dense_plan(execution, plan);
  dense.id = plan_.id;
  ReplayResult run = replay(target_, options_, dense, bug_.header.own_folder);
  if (!run.execution) return true;
  ReplayResult before = std::move(last_);
  const bool open = judge(dense, std::move(run), kNear);
  last_ = std::move(before);
  return open;
}

std::string RegressionTrial::evidence() const {
  const std::size_t others = distinct_.size() - 1;
  if (impossible_.empty() && others == 0) return "its schedule ended well";
  if (impossible_.empty())
    return fmt::format("its schedule ended well, and so did {} around it", counted(others, "other"));
  const std::string why = fmt::format("its schedule is not possible any more: {}", impossible_.front());
  return fmt::format("{}. What is left of it ended well{}", why,
                     others == 0 ? std::string() : fmt::format(", and so did {} around it", counted(others, "other")));
}

}  // namespace heddle::cli
