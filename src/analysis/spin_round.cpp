// See spin_round.h.
#include "analysis/spin_round.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "analysis/outcome.h"

namespace heddle {
namespace {

constexpr std::size_t kMostSteps = 1u << 16;  // of the thread that are looked at
constexpr std::size_t kEnoughSteps = 2000;    // of rounds that are alike, where nothing is proved
constexpr std::size_t kEnoughRounds = 3;

bool alike(const StepRecord& one, const StepRecord& other) {
  return one.operation == other.operation && one.object == other.object && one.site == other.site;
}

bool yields(const StepRecord& step) {
  return (traits(step.operation) & OperationTraits::Yield) != 0 || ends_by_timeout(step);
}

// Of the thread that ran last: its steps, the last one first.
std::vector<std::size_t> last_steps_of(const Execution& execution) {
  const auto& steps = execution.steps;
  std::vector<std::size_t> own;
  for (std::size_t i = steps.size(); i-- > 0 && own.size() < kMostSteps;)
    if (steps[i].task == steps.back().task) own.push_back(i);
  return own;
}

struct Repetition {
  std::size_t length = 0, period = 0;
};

// How many of these steps, from the first on, are rounds of so many that are alike. (The period of each beginning is
// its length without its longest border: Knuth, Morris and Pratt, 1977.)
Repetition repetition_in(const Execution& execution, const std::vector<std::size_t>& own) {
  Repetition best;
  std::vector<std::size_t> border(own.size() + 1, 0);
  const auto same = [&](std::size_t one, std::size_t other) {
    return alike(execution.steps[own[one]], execution.steps[own[other]]);
  };
  for (std::size_t length = 1; length <= own.size(); ++length) {
    std::size_t shorter = length == 1 ? 0 : border[length - 1];
    while (shorter != 0 && !same(shorter, length - 1)) shorter = border[shorter];
    border[length] = length > 1 && same(shorter, length - 1) ? shorter + 1 : 0;
    const std::size_t period = length - border[length];
    if (period * kEnoughRounds <= length) best = {length, period};
  }
  return best;
}

// A round that is proved need not have come more than once.
std::size_t steps_since(const std::vector<std::size_t>& own, std::size_t first) {
  return static_cast<std::size_t>(
      std::count_if(own.begin(), own.end(), [first](std::size_t step) { return step >= first; }));
}

// The place of a round that other steps come to least: a mutex of the C++ library may be locked at one place for all.
std::size_t own_place(const Execution& execution, const std::vector<std::size_t>& own, const Repetition& rounds) {
  std::unordered_map<Site, std::size_t> uses;
  for (std::size_t i = 0; i < rounds.period; ++i) uses.emplace(execution.steps[own[i]].site, 0);
  const std::size_t first = own[rounds.length - 1];
  const TaskId task = execution.steps.back().task;
  for (std::size_t i = 0; i < execution.steps.size(); ++i) {
    const StepRecord& step = execution.steps[i];
    if (i >= first && step.task == task) continue;
    if (const auto found = uses.find(step.site); found != uses.end()) ++found->second;
  }
  std::size_t best = own[0];
  for (std::size_t i = 1; i < rounds.period; ++i) {
    const Site site = execution.steps[own[i]].site, least = execution.steps[best].site;
    if (site != 0 && std::pair(uses[site], site) < std::pair(uses[least], least)) best = own[i];
  }
  return best;
}

}  // namespace

std::optional<SpinRound> spin_round_of(const Execution& execution) {
  if (execution.steps.empty()) return std::nullopt;
  const std::vector<std::size_t> own = last_steps_of(execution);
  const Loop loop = loop_of(execution);
  Repetition rounds = repetition_in(execution, own);
  if (rounds.period == 0 && loop.proved) rounds.length = rounds.period = steps_since(own, loop.first);
  if (rounds.period == 0 || (!loop.proved && rounds.length < kEnoughSteps)) return std::nullopt;
  for (std::size_t i = 0; i < rounds.period; ++i)
    if (yields(execution.steps[own[i]])) return std::nullopt;
  // The rounds are alike: who could go on once can do so in each, if only while nobody holds what it waits for.
  std::vector<TaskId> waiting = kept_waiting(execution, {loop.first, true});
  if (waiting.empty()) return std::nullopt;
  return SpinRound{own_place(execution, own, rounds), own[rounds.length - 1], static_cast<std::uint32_t>(rounds.period),
                   std::move(waiting)};
}

}  // namespace heddle
