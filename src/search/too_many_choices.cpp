// See too_many_choices.h.
#include "search/too_many_choices.h"

namespace heddle {
namespace {

constexpr std::uint64_t kMaxChoices = std::uint64_t{1} << 26;

// Those of the steps where the task that ran last waits or has ended: there a switch costs nothing.
std::uint64_t free_choices(const Execution& execution) {
  std::uint64_t choices = 0;
  for (const StepRecord& step : execution.steps)
    choices += (step.flags & StepFlags::SwitchCosts) == 0 ? step.eligible : 0u;
  return choices;
}

// At most so many are remembered.
std::uint64_t choices_in(const Execution& execution, const StrategyEntry& strategy, const OptionValues& given) {
  if (strategy.promise.bounds == "delay") return execution.end.steps;  // of each step only the next one
  if (strategy.promise.bounds == "preemption" && strategy.number(given, strategy.limit) == 0)
    return free_choices(execution);
  return std::uint64_t{execution.end.tasks} * execution.end.steps;
}

}  // namespace

bool has_too_many_choices(const Execution& execution, const StrategyEntry& strategy, const OptionValues& given) {
  return strategy.remembers_choices && choices_in(execution, strategy, given) > kMaxChoices;
}

}  // namespace heddle
