// See orders.h.
#include "search/orders.h"

#include <algorithm>

namespace heddle {
namespace {

// Two threads that only look don't depend on each other; more of them than this are not told apart.
constexpr std::size_t kMostLookers = 16;

bool is_good(const Execution& execution) {
  return !execution.damaged && execution.end.end == EndKind::Exited && execution.end.status == 0;
}

// By a way of its own: it timed out, it woke for nothing, or others could have been taken.
bool has_variant(const StepRecord& step) { return step.variant != 0; }

}  // namespace

bool is_left_out(OperationKind kind) {
  return kind == OperationKind::MutexUnlock || kind == OperationKind::RwUnlock || kind == OperationKind::SpinUnlock;
}

std::size_t StatementOrders::learn(const Execution& execution) {
  if (!is_good(execution)) return 0;
  ++good_runs_;
  latest_.clear();
  std::size_t fresh = 0;
  for (const StepRecord& step : execution.steps) {
    if (has_variant(step)) fresh += pairs_.insert({mark_of(step.variant), step.site}).second ? 1 : 0;
    if (step.object == kNoObject || is_left_out(step.operation)) continue;
    const Access access = access_of(step.operation, step.object, step.object2, (step.flags & StepFlags::Wrote) != 0);
    if (access.object != kNoObject) fresh += note(latest_[access.object], step, access.wrote);
  }
  return fresh;
}

std::size_t StatementOrders::note(Latest& latest, const StepRecord& step, bool wrote) {
  std::size_t fresh = 0;
  const auto depends_on = [&](const Latest::By& earlier) {
    if (earlier.task == kNoTask || earlier.task == step.task) return;
    fresh += pairs_.insert({earlier.site, step.site}).second ? 1 : 0;
  };
  const auto is_own = [&](const Latest::By& one) { return one.task == step.task; };
  const auto own = std::find_if(latest.looked.begin(), latest.looked.end(), is_own);
  if (!wrote) {
    if (own == latest.looked.end()) depends_on(latest.changed);
    if (own != latest.looked.end())
      own->site = step.site;
    else if (latest.looked.size() < kMostLookers)
      latest.looked.push_back({step.site, step.task});
    return fresh;
  }
  for (const Latest::By& one : latest.looked) depends_on(one);
  if (latest.looked.empty()) depends_on(latest.changed);
  latest.looked.clear();
  latest.changed = {step.site, step.task};
  return fresh;
}

void NewOrders::begin(const Lookahead& lookahead, std::uint32_t first) {
  lookahead_ = &lookahead;
  for (auto& [object, steps] : steps_on_) steps.clear();
  const auto& steps = lookahead.execution().steps;
  for (std::uint32_t at = first; at < steps.size(); ++at)
    if (steps[at].object != kNoObject && !is_left_out(steps[at].operation)) steps_on_[steps[at].object].push_back(at);
}

// The task's next operation would come before the first step that depends on it. What an operation of unknown effect
// brings is not known.
bool NewOrders::are_brought_by(std::uint32_t step, Choice choice, const StatementOrders& orders) const {
  const NextOperation next = lookahead_->next(choice.task, step);
  if (!next.known()) return true;
  const StepRecord& made = lookahead_->execution().steps[step];
  if (choice.variant != 0) return !orders.seen_variant(choice.variant, next.site);
  if (made.task == choice.task) return made.variant == 0 || !orders.seen_variant(0, next.site);
  const Access access = next.access();
  if (access.everything) return true;
  const auto found = steps_on_.find(access.object);
  if (access.object == kNoObject || is_left_out(next.kind) || found == steps_on_.end()) return false;
  const auto& steps = found->second;
  for (auto at = std::lower_bound(steps.begin(), steps.end(), step); at != steps.end() && *at < next.step; ++at) {
    const NextOperation other = lookahead_->made(*at);
    if (lookahead_->execution().steps[*at].task == choice.task || !dependent(other.access(), access)) continue;
    return !orders.seen(next.site, other.site);
  }
  return false;
}

}  // namespace heddle
