// See spin_loops.h.
#include "driver/explore/spin_loops.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>

#include "analysis/names.h"
#include "analysis/no_preempt.h"
#include "analysis/outcome.h"
#include "analysis/seen_services.h"
#include "analysis/spin_round.h"
#include "analysis/symbolizer.h"
#include "driver/execute/replay.h"
#include "driver/target/declared_services.h"
#include "trace/module_names.h"

namespace heddle {
namespace {

CodePlace place_of(Site site, const SpinLoops::Process& process) {
  if (!process.randomized) return {{}, site};
  for (const ModuleMap::Entry& entry : process.modules.entries())
    if (site >= entry.begin && site < entry.end) return {std::string(file_name(entry.path)), site - entry.base};
  return {};
}

std::string present_folder() {
  std::error_code error;
  return std::filesystem::current_path(error).string();
}

// What names a place in the user's own code may be on the call stack only, which the search does not record: the
// execution is run once more, up to the second round.
std::string place_by_stack(const Execution& execution, const Plan& plan, const SpinRound& round, const Target& target,
                           const RunOptions& options) {
  Plan again = dense_plan(execution, plan);
  again.loop_from = 0;
  const std::size_t enough = std::min(round.first + std::size_t{2} * round.period + 1, execution.steps.size());
  again.deltas.resize(std::min(enough, again.deltas.size()));
  again.max_steps = static_cast<std::uint32_t>(enough);
  const ReplayResult result = replay(target, options, again, false);
  if (!result.execution || result.execution->steps.size() < enough) return {};
  const auto& steps = execution.steps;
  for (std::size_t i = enough; i-- > round.first;)
    if (steps[i].task == steps[round.step].task && steps[i].site == steps[round.step].site) {
      Symbolizer symbolizer(result.modules);
      Names names(*result.execution, symbolizer, present_folder());
      return names.places().full_name(names.places().of_step(i)).text;
    }
  return {};
}

std::string warning_of(const Execution& execution, const SpinRound& round, const std::string& place, Names& names) {
  const Loop loop = loop_of(execution);
  std::string waiting;
  for (const TaskId task : round.waiting) waiting += (waiting.empty() ? "" : ", ") + names.task(task).text;
  return fmt::format(
      "warning: {} goes round at {} and never yields, while {} could go on{}. It counts as yielding there from here on "
      "(--samaritan=bug reports it as a bug)",
      names.task(execution.steps[round.step].task).text, place, waiting,
      loop.proved ? "" : fmt::format(" (for {} steps, then it was cut off)", execution.steps.size() - round.first));
}

// Do all threads that go round in its second half wait for a time in between?
bool only_waits_for_time(const Execution& execution) {
  std::set<TaskId> all, waiting;
  for (std::size_t i = std::max(loop_of(execution).first, execution.steps.size() / 2); i < execution.steps.size();
       ++i) {
    const StepRecord& step = execution.steps[i];
    all.insert(step.task);
    if (ends_by_timeout(step) || step.operation == OperationKind::Sleep) waiting.insert(step.task);
  }
  return !all.empty() && all == waiting;
}

// "thread 2 at …, …"
std::string where_cut_off(const Execution& execution, const ModuleMap& modules) {
  constexpr std::size_t kMaxThreads = 4, kMaxPlaces = 4;
  Symbolizer symbolizer(modules);
  Names names(execution, symbolizer, present_folder());
  std::map<TaskId, std::vector<std::string>> places;
  for (std::size_t i = loop_of(execution).first; i < execution.steps.size(); ++i) {
    const TaskId task = execution.steps[i].task;
    if (places.count(task) == 0 && places.size() == kMaxThreads) continue;
    std::vector<std::string>& own = places[task];
    if (own.size() == kMaxPlaces) continue;
    const std::string place = names.places().name_of_step(i).text;
    if (!place.empty() && std::find(own.begin(), own.end(), place) == own.end()) own.push_back(place);
  }
  std::string result;
  for (const auto& [task, own] : places) {
    result += (result.empty() ? "" : "; ") + names.task(task).text;
    for (std::size_t i = 0; i < own.size(); ++i) result += (i == 0 ? " at " : ", ") + own[i];
  }
  if (only_waits_for_time(execution))
    result += ". It only waits for time to pass: if it lets no other thread go on, say so with --service=FUNCTION";
  return result;
}

bool has(const std::vector<SpinLoop>& loops, const SpinLoop& loop) {
  return std::find(loops.begin(), loops.end(), loop) != loops.end();
}

}  // namespace

bool SpinLoops::learn(const Execution& execution, const Plan& plan, const Process& process) {
  // A finite loop may be longer than a limit that has fallen.
  if (execution.end.end == EndKind::StepLimit && execution.end.steps < options_.max_steps) return false;
  const std::optional<SpinRound> round = spin_round_of(execution);
  if (!round) return false;
  const SpinLoop loop{place_of(execution.steps[round->step].site, process), round->period};
  if (process.randomized && !loop.place.named()) return false;
  if (loops_.count(loop) != 0) return !has(options_.spins, loop);  // true: from the next restart on it does
  if (loops_.size() == kMaxSpins) return false;
  loops_.insert(loop);
  Symbolizer symbolizer(process.modules);
  Names names(execution, symbolizer, present_folder());
  const Location location = names.places().of_step(round->step);
  std::string place = names.places().full_name(location).text;
  if (!is_user_code(location.frame) || location.frame.file.empty())
    if (std::string better = place_by_stack(execution, plan, *round, target_, options_); !better.empty())
      place = std::move(better);
  if (named_.insert(place).second) warning_ = warning_of(execution, *round, place, names);
  return true;
}

std::size_t SpinLoops::count_others(const std::vector<SpinLoop>& loops) {
  return static_cast<std::size_t>(std::count_if(loops.begin(), loops.end(), [](const SpinLoop& loop) {
    return loop.period < kSeenServicePeriod && loop.period != kTickPeriod;
  }));
}

namespace {

bool waits_for_time(const StepRecord& step) { return ends_by_timeout(step) || step.operation == OperationKind::Sleep; }

}  // namespace

void SpinLoops::look_for_ticks(const Execution& execution, const Session& session, std::uint64_t schedules) {
  constexpr std::uint64_t kFilled = 2000;
  constexpr unsigned kTicks = 8, kMostLooks = 64;
  if (schedules < kFilled || looks_for_ticks_ == kMostLooks) return;
  ++looks_for_ticks_;
  std::map<std::pair<TaskId, Site>, unsigned> ticks;
  for (const StepRecord& step : execution.steps)
    if (waits_for_time(step) && ++ticks[{step.task, step.site}] == kTicks && loops_.size() < kMaxSpins)
      loops_.insert({place_of(step.site, {session.modules(), session.randomized()}), kTickPeriod});
}

void SpinLoops::look_for_services(const Execution& execution, const Session& session) {
  if (std::none_of(loops_.begin(), loops_.end(), is_name_of_service)) return;
  std::vector<std::size_t> waits;
  for (std::size_t i = 0; i < execution.steps.size(); ++i) {
    const StepRecord& step = execution.steps[i];
    if (waits_for_time(step) && waits_looked_at_.insert({step.task, step.site}).second) waits.push_back(i);
  }
  if (waits.empty()) return;
  const ModuleMap modules = session.modules();
  Symbolizer symbolizer(modules);
  Names names(execution, symbolizer, present_folder());
  for (const SpinLoop& service : all()) {
    if (!is_name_of_service(service)) continue;
    const NoPreemptRule rule{NoPreemptRule::Kind::Function, service.place.file};
    const auto is_in = [&](Site site) {
      const std::vector<Frame>& frames = symbolizer.frames(site);
      return std::any_of(frames.begin(), frames.end(), [&](const Frame& frame) { return matches(rule, frame); });
    };
    for (const std::size_t i : waits) {
      const StepRecord& step = execution.steps[i];
      const Site entry = step.task < execution.tasks.size() ? execution.tasks[step.task].entry : 0;
      const bool by_name = names.task(step.task).text == service.place.file;
      if (!by_name && !is_in(step.site) && (entry == 0 || !is_in(entry + 1))) continue;
      seen_services_.insert(service.place.file);
      if (loops_.size() < kMaxSpins)
        loops_.insert({place_of(step.site, {modules, session.randomized()}), kServicePeriod});
    }
  }
}

std::vector<std::string> SpinLoops::about_services() const {
  std::vector<std::string> result;
  for (const SpinLoop& service : loops_)
    if (is_name_of_service(service) && service.place.file != kOnlyDeclared &&
        seen_services_.count(service.place.file) == 0)
      result.push_back(
          fmt::format("warning: --service={}: no thread was seen to wait for a time there", service.place.file));
  return result;
}

bool SpinLoops::learn_services(const Execution& execution, const Process& process) {
  if (execution.end.end != EndKind::StepLimit || execution.end.steps < options_.max_steps) return false;
  if (has(options_.spins, declared_service(kOnlyDeclared))) return false;
  const std::optional<SeenServices> seen = seen_services(execution);
  if (!seen) return false;
  std::vector<SpinLoop> places;
  for (const Site site : seen->places) {
    places.push_back({place_of(site, process), kSeenServicePeriod});
    if (process.randomized && !places.back().place.named()) return false;
    if (loops_.count(places.back()) != 0) places.pop_back();
  }
  if (places.empty() || loops_.size() + places.size() > kMaxSpins) return false;
  loops_.insert(places.begin(), places.end());
  Symbolizer symbolizer(process.modules);
  Names names(execution, symbolizer, present_folder());
  std::string tasks;
  for (const TaskId task : seen->tasks) tasks += (tasks.empty() ? "" : ", ") + names.task(task).text;
  warning_ = fmt::format(
      "warning: {} only ticked for {} steps, and let no other thread go on, while others waited: such threads count as "
      "services from here on, and others that wait for ever are in a deadlock. It is not proved: they may be waiting "
      "for what a service does later (--service=none: no thread counts so unless you say it)",
      tasks, seen->steps);
  return true;
}

bool SpinLoops::take(const Execution& execution, const Plan& plan, const Process& process) {
  const EndKind end = execution.end.end;
  if (learn_services(execution, process)) return true;
  if (options_.samaritan == SamaritanMode::Warn && learn(execution, plan, process)) return true;
  if (end == EndKind::GoodSamaritan) return false;  // although the loop counts as yielding, or it is a bug
  if (options_.samaritan == SamaritanMode::Bug && is_bug(classify(execution, options_.ok_exit).kind)) return false;
  if (first_cut_off_.empty()) first_cut_off_ = where_cut_off(execution, process.modules);
  return true;
}

}  // namespace heddle
