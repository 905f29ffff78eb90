// Delays at random (src/runtime/schedule/policy/delays.cpp): one to five of them, anywhere in the execution.
#include <algorithm>

#include "search/walks.h"

namespace heddle {
namespace {

constexpr std::uint32_t kMostDelays = 5;

void make_plan(Plan& plan, const Walk& walk, WalkKnowledge& knowledge, Draws& draws) {
  DelaysItem item;
  item.walk = walk;
  item.delays = 1 + static_cast<std::uint32_t>(draws.below(kMostDelays));
  item.length = std::max(1u, knowledge.length());
  tell_policy<PolicyKind::Delays>(plan, item);
}

}  // namespace

StrategyEntry random_delays_strategy() {
  return walks_entry("random-delays", "the default schedule with one to five delays at random steps",
                     "drawn by random delays", make_plan, 0.04);
}

}  // namespace heddle
