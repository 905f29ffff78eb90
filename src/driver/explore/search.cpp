// See search.h.
#include "driver/explore/search.h"

#include <utility>
#include <variant>

#include "analysis/outcome.h"
#include "driver/execute/attempts.h"
#include "driver/execute/instability.h"
#include "driver/explore/note_places.h"
#include "protocol/known_libraries.h"

namespace heddle {
namespace {

constexpr std::uint64_t kEstimated = 64;  // after so many schedules the strategy is asked how many there will be

// The decoder's note on what it could not read.
std::string damage_of(const Execution& execution) {
  const ExecutionMessage* note = execution.message(MessageKind::Note);
  return note != nullptr ? note->text : "what was recorded is damaged";
}

// Of the program, or of a library that is not the system's: not built with heddle-cc?
bool is_plain_code(const ModuleMap& modules, Site site) {
  if (site == 0 || ModuleMap::is_unplaced(site)) return false;
  const ModuleMap::Entry* const file = modules.find(site);
  return file != nullptr && !file->instrumented && !is_of_the_system(file->path);
}

StrategyOptions strategy_options(const RunOptions& options, NoPreempt& no_preempt,
                                 const std::function<ModuleMap()>& modules) {
  StrategyOptions result{options.seed, options.early_timeouts, {}, {}, options.search_options};
  result.is_plain_code = [modules](Site site) { return is_plain_code(modules(), site); };
  if (!no_preempt.empty()) result.no_preempt = [&no_preempt](Site site) { return no_preempt.holds_at(site); };
  return result;
}

}  // namespace

Search::Search(const RunOptions& options, std::function<ModuleMap()> modules)
    : options_(options),
      entry_(*find_strategy(options.search)),
      modules_(std::move(modules)),
      no_preempt_(options.no_preempt, modules_) {
  begin();
}

void Search::begin() {
  strategy_ = entry_.make(entry_, strategy_options(options_, no_preempt_, modules_));
  handed_out_ = 0;
  exhausted_ = false;
  estimates_ = EstimateHistory();
}

std::optional<Plan> Search::next() {
  std::optional<Plan> plan;
  if (exhausted_ || all_given()) return plan;
  Next next = strategy_->next();
  if (std::holds_alternative<Exhausted>(next)) exhausted_ = true;
  if (auto* one = std::get_if<Plan>(&next)) {
    ++handed_out_;
    plan.emplace(std::move(*one));
  }
  return plan;
}

std::string Search::learn(const ExecutionFinished& event, const Session& session) {
  const Execution& execution = *event.execution;
  if (!followed(event.plan, execution)) return lose_diverged(event, session);
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

void Search::note_estimate(std::uint64_t schedules) {
  if (schedules % kEstimated != 0) return;
  estimates_.note(schedules, strategy_->coverage().bound_in_progress, strategy_->estimated_total(),
                  strategy_->estimated_spread());
}

void Search::save(StateWriter& writer, std::uint64_t outstanding) const {
  writer(estimates_, handed_out_ - outstanding);
  strategy_->save(writer);
}

bool Search::restore(StateReader& reader) {
  reader(estimates_, handed_out_);
  return strategy_->restore(reader);
}

}  // namespace heddle
