// Probabilistic concurrency testing (src/runtime/schedule/policy/pct.cpp). The paper has the tester give the depth and
// the length. Here the depth of each schedule is drawn, and the length is the most
// steps that were seen.
#include <algorithm>

#include "search/walks.h"

namespace heddle {
namespace {

constexpr std::uint32_t kLeastDepth = 2, kDepths = 4;  // 2 to 5

void make_plan(Plan& plan, const Walk& walk, WalkKnowledge& knowledge, Draws& draws) {
  PctItem item;
  item.walk = walk;
  item.depth = kLeastDepth + static_cast<std::uint32_t>(draws.below(kDepths));
  item.length = std::max({1u, knowledge.length(), knowledge.longest()});
  tell_policy<PolicyKind::Pct>(plan, item);
}

}  // namespace

StrategyEntry pct_strategy() {
  return walks_entry("pct", "schedules by random priorities of threads, which fall at one to four steps (PCT)",
                     "drawn by random priorities of threads", make_plan, 0.04);
}

}  // namespace heddle
