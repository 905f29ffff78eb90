// Selectively uniform random walk (src/runtime/schedule/policy/surw.cpp). In every other walk all operations are of
// interest, in the others those on one object, drawn from those whose order matters. (The paper draws a set of
// variables and counts in one execution before all others; here the counts are those of the latest execution that was
// looked at.)
#include <algorithm>
#include <iterator>

#include "search/walks.h"

namespace heddle {
namespace {

constexpr std::size_t kMostTasks = 64;

void make_plan(Plan& plan, const Walk& walk, WalkKnowledge& knowledge, Draws& draws) {
  const WalkKnowledge::Uses* uses = &knowledge.all();
  std::uint64_t address = 0;
  if (const auto& shared = knowledge.shared(); !shared.empty() && draws.below(2) == 0) {
    const auto one = std::next(shared.begin(), static_cast<std::ptrdiff_t>(draws.below(shared.size())));
    address = one->first;
    uses = &one->second;
  }
  tell_policy<PolicyKind::Surw>(plan, {walk.seed, walk.burst, walk.stops_one_in});
  tell_policy<PolicyKind::Surw>(plan, {address, 0, 0});
  for (std::size_t task = 0; task < std::min(uses->of_task.size(), kMostTasks); ++task)
    tell_policy<PolicyKind::Surw>(plan, {0, uses->of_task[task], 0});
}

}  // namespace

StrategyEntry surw_strategy() {
  return walks_entry("surw",
                     "random schedules in which each order of the operations on an object is about as likely as any "
                     "other (SURW)",
                     "drawn by a selectively uniform random walk", make_plan, 0.16);
}

}  // namespace heddle
