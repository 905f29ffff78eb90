// See search.h.
#include "driver/explore/search.h"

#include <algorithm>
#include <unordered_map>
#include <utility>
#include <variant>

#include "analysis/outcome.h"
#include "driver/execute/attempts.h"
#include "driver/execute/instability.h"
#include "driver/explore/note_places.h"
#include "protocol/known_libraries.h"
#include "trace/module_names.h"

namespace heddle {
namespace {

constexpr std::size_t kPlacesKept = 65'536;
constexpr std::uint64_t kEstimated = 64;  // after so many schedules the strategy is asked how many there will be

// The decoder's note on what it could not read.
std::string damage_of(const Execution& execution) {
  const ExecutionMessage* note = execution.message(MessageKind::Note);
  return note != nullptr ? note->text : "what was recorded is damaged";
}

using File = ModuleMap::Entry;

// Is this a place in a file whose accesses to memory run uninterrupted, and of which `holds` is true? Each place is
// looked up once.
std::function<bool(Site)> in_unseen_file(const std::function<ModuleMap()>& modules, RaceMode races,
                                         bool (*holds)(const File& file)) {
  const auto known = std::make_shared<std::unordered_map<Site, bool>>();
  return [=](Site site) {
    if (site == 0 || ModuleMap::is_unplaced(site)) return false;
    if (const auto found = known->find(site); found != known->end()) return found->second;
    const ModuleMap all = modules();
    const File* const file = all.find(site);
    if (file == nullptr) return false;  // it may be loaded later
    if (known->size() >= kPlacesKept) known->clear();
    return (*known)[site] = (!file->instrumented || races == RaceMode::Ignore) && holds(*file);
  };
}

std::string value_of(const RunOptions& options, const char* option) {
  const auto found = options.search_options.find(option);
  return found != options.search_options.end() ? found->second : std::string();
}

}  // namespace

Search::Search(const RunOptions& options, std::function<ModuleMap()> modules)
    : options_(options),
      entry_(*find_strategy(options.search)),
      modules_(std::move(modules)),
      no_preempt_(options.no_preempt, modules_),
      targets_(value_of(options, "--method"), value_of(options, "--var"), modules_),
      orders_(options, targets_) {
  begin(0);
}

StrategyOptions Search::strategy_options() {
  StrategyOptions result;
  result.seed = options_.seed;
  result.early_timeouts = options_.timeouts == Timeouts::Early;
  result.spurious_wakeups = options_.spurious_wakeups != 0;
  result.patched = options_.patch;
  result.own = options_.search_options;
  // Which states are alike is not known where loads may read old values.
  result.weak_memory = options_.memory != MemoryModel::Sc;
  if (result.weak_memory) result.own["--reduction"] = "none", result.own["--symmetry"] = "no";
  result.is_plain_code =
      in_unseen_file(modules_, options_.races, [](const File& file) { return !is_of_the_system(file.path); });
  result.is_unseen_code = in_unseen_file(modules_, options_.races,
                                         [](const File& file) { return !is_known_library(file_name(file.path)); });
  if (!no_preempt_.empty()) result.no_preempt = [this](Site site) { return no_preempt_.holds_at(site); };
  if (targets_.has_methods()) result.is_method = [this](Site site) { return targets_.is_method(site); };
  if (targets_.has_variables())
    result.is_variable = [this](const ObjectRecord& object) { return targets_.is_variable(object); };
  result.name_place = [this](Site site) { return targets_.function_at(site); };
  result.name_object = [this](std::uint64_t address) { return targets_.variable_at(address); };
  result.shard = options_.shard;
  result.orders = orders_.orders();
  result.memory_bytes = options_.memory_bytes;
  result.frontier_file = options_.frontier_file;
  return result;
}

void Search::begin(std::uint64_t run_for_nothing) {
  if (strategy_ == nullptr || !strategy_->begin_anew()) strategy_ = entry_.make(entry_, strategy_options());
  handed_out_ = spent_ += run_for_nothing;
  exhausted_ = false;
  estimates_ = EstimateHistory();
}

std::unique_ptr<Strategy> Search::make_bounded(std::string_view name, std::uint32_t bound, PlanId first_plan) {
  const StrategyEntry& entry = *find_strategy(name);
  StrategyOptions options = strategy_options();
  options.own[std::string(entry.limit)] = std::to_string(bound);
  // The main search has given its reductions up, as this program does not suit them.
  if (&entry_ == &entry && !strategy_->reduces()) options.own["--reduction"] = "none";
  options.orders = nullptr;       // it is not the run that is to teach them
  options.frontier_file.clear();  // the search has it
  options.first_plan = first_plan;
  return entry.make(entry, options);
}

const StrategyEntry& Search::maker_of(PlanId plan) const {
  const std::string_view part = strategy_->part_of(plan);
  return part.empty() ? entry_ : *find_strategy(part);
}

std::optional<Plan> Search::next() {
  std::optional<Plan> plan;
  if (exhausted_ || all_given()) return plan;
  Next next = strategy_->next();
  if (std::holds_alternative<Exhausted>(next)) exhausted_ = true;
  if (auto* one = std::get_if<Plan>(&next)) {
    ++handed_out_;
    plan.emplace(std::move(*one));
    // Behind a checkpoint, an execution would have the call stacks of the rest only.
    if (orders_.needs_stacks()) plan->stacks = plan->afresh = true;
  }
  return plan;
}

std::string Search::learn(const ExecutionFinished& event, const Session& session) {
  const Execution& execution = *event.execution;
  if (!followed(event.plan, execution)) return lose_diverged(event, session);
  orders_.learn(execution);
  strategy_->learn(execution);
  if (!event.ended_because.empty()) return "a schedule was ended without a verdict because " + event.ended_because;
  if (execution.damaged) return damage_of(execution);
  if (execution.end.end != EndKind::Killed) return {};
  // The runtime says in a note why it ended an execution itself; without one, it was somebody else.
  const ExecutionMessage* why = execution.message(MessageKind::Note);
  return why != nullptr ? with_places(why->text, execution, session.modules())
                        : "a schedule was ended from outside (killed); is memory short?";
}

// It was tried more than once (attempts.h).
std::string Search::lose_diverged(const ExecutionFinished& event, const Session& session) {
  const Execution& execution = *event.execution;
  strategy_->lost(execution.plan);
  const std::string what =
      execution.end.end == EndKind::Diverged
          ? classify(execution, options_.ok_exit).message
          : "the program ended before step " + std::to_string(last_delta(event.plan)->step) + " of the schedule";
  if (std::string why = strategy_->why_not_followed(event.plan, execution); !why.empty()) return why;
  std::string reason = likely_inputs(execution, execution.end.steps, session.modules());
  if (reason.empty()) {
    if (!time_stamps_) time_stamps_ = possible_time_stamps(execution, session.modules());
    reason = *time_stamps_;
  }
  return what + "; the program's behaviour depends on something that Heddle does not control." + reason;
}

void Search::note_estimate(std::uint64_t schedules, std::uint64_t in_all) {
  if (schedules % kEstimated != 0) return;
  const std::uint64_t counted = strategy_->estimated_of().value_or(schedules);
  estimated_without_ = in_all - std::min(counted, in_all);
  estimates_.note(counted, strategy_->coverage().bound_in_progress, strategy_->estimated_total(),
                  strategy_->estimated_spread());
}

std::optional<Estimate> Search::estimate() const {
  auto estimate = estimates_.estimate();
  if (estimate) estimate->others = estimated_without_;
  return estimate;
}

void Search::save(StateWriter& writer, std::uint64_t outstanding) const {
  writer(estimates_, handed_out_ - outstanding, spent_, *orders_.orders());
  strategy_->save(writer);
}

bool Search::restore(StateReader& reader) {
  reader(estimates_, handed_out_, spent_, *orders_.orders());
  return strategy_->restore(reader);
}

}  // namespace heddle
