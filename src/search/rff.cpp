// Reads-from feedback (src/runtime/schedule/policy/rff.cpp, reads_from.h).
#include "search/walks.h"

namespace heddle {
namespace {

void make_plan(Plan& plan, const Walk& walk, WalkKnowledge& knowledge, Draws& draws) {
  tell_policy<PolicyKind::Rff>(plan, {.walk = walk});
  for (const ReadsFrom::Constraint& one : knowledge.reads_from().draw(plan.id, draws))
    tell_policy<PolicyKind::Rff>(plan, {{}, one.address, one.writer, one.reader, one.never ? 1u : 0u});
}

}  // namespace

StrategyEntry rff_strategy() {
  return walks_entry("rff", "random schedules, steered towards rare combinations of who sees whose changes (RFF)",
                     "drawn by reads-from feedback", make_plan, 0.36);
}

}  // namespace heddle
