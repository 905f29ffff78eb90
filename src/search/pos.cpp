// Partial order sampling (src/runtime/schedule/policy/pos.cpp).
#include "search/walks.h"

namespace heddle {
namespace {

void make_plan(Plan& plan, const Walk& walk, WalkKnowledge&, Draws&) { tell_policy<PolicyKind::Pos>(plan, walk); }

}  // namespace

StrategyEntry pos_strategy() {
  StrategyEntry entry =
      walks_entry("pos", "random schedules in which the order of each two racing operations is drawn anew (POS)",
                  "drawn by partial order sampling", make_plan, 0.16);
  entry.independent = true;
  return entry;
}

}  // namespace heddle
