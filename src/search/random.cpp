// Random schedules: at every step a choice drawn from all there are (src/runtime/schedule/policy/random.cpp).
#include "search/walks.h"

namespace heddle {
namespace {

void make_plan(Plan& plan, const Walk& walk, WalkKnowledge&, Draws&) { tell_policy<PolicyKind::Random>(plan, walk); }

}  // namespace

StrategyEntry random_strategy() {
  StrategyEntry entry = walks_entry("random", "schedules drawn at random", "drawn at random", make_plan, 0.16);
  entry.independent = true;
  return entry;
}

}  // namespace heddle
