// See orders.h.
#include "search/orders.h"

#include <algorithm>

namespace heddle {
namespace {

// Two threads that only look don't depend on each other; more of them than this are not told apart.
constexpr std::size_t kMostLookers = 16;
// Which orders there may be shows early; of one object, so many statements are told apart.
constexpr std::uint64_t kRunsForPossible = 64;
constexpr std::size_t kMostStatements = 64;

bool is_good(const Execution& execution) {
  return !execution.damaged && execution.end.end == EndKind::Exited && execution.end.status == 0;
}

// By a way of its own: it timed out, it woke for nothing, or others could have been taken.
bool has_variant(const StepRecord& step) { return step.variant != 0 && step.variant != kStop; }

// No join can come before the end of its thread.
bool is_left_out(OperationKind kind) {
  return object_kind(kind) == ObjectKind::Thread || kind == OperationKind::MutexUnlock ||
         kind == OperationKind::RwUnlock || kind == OperationKind::SpinUnlock;
}

}  // namespace

std::size_t StatementOrders::learn(const Execution& execution) {
  if (!is_good(execution)) return 0;
  ++good_runs_;
  latest_.clear();
  std::size_t fresh = 0;
  for (const StepRecord& step : execution.steps) {
    if (is_failed_try(step.operation, step.result)) fresh += pairs_.insert({kFailed, step.site}).second ? 1 : 0;
    if (has_variant(step)) fresh += pairs_.insert({mark_of(step.variant), step.site}).second ? 1 : 0;
    if (step.object == kNoObject || is_left_out(step.operation)) continue;
    const Access access = access_of(step.operation, step.object, step.object2, (step.flags & StepFlags::Wrote) != 0);
    if (access.object == kNoObject) continue;
    Latest& latest = latest_[access.object];
    fresh += note(latest, step, access.wrote);
    if (good_runs_ <= kRunsForPossible) note_all(latest, {step.site, step.task, access.wrote});
  }
  if (good_runs_ <= kRunsForPossible) note_possible();
  return fresh;
}

void StatementOrders::note_all(Latest& latest, const Latest::By& one) {
  if (latest.all.size() >= kMostStatements) return;
  const auto at = std::lower_bound(latest.all.begin(), latest.all.end(), one);
  if (at == latest.all.end() || *at != one) latest.all.insert(at, one);
}

void StatementOrders::note_possible() {
  for (const auto& [object, latest] : latest_)
    for (const Latest::By& one : latest.all)
      for (const Latest::By& other : latest.all)
        if (one.task != other.task && (one.wrote || other.wrote)) possible_.insert({one.site, other.site});
}

std::string StatementOrders::text_of_mark(Site site) {
  if (site == kFailed) return "(fails)";
  if (site == 0 || site > kFailed) return {};
  if (site == mark_of(kTimeout)) return "(times out)";
  if (site == mark_of(kSpurious)) return "(wakes for nothing)";
  return "(in way " + std::to_string(site) + ")";
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
      latest.looked.push_back({step.site, step.task, false});
    return fresh;
  }
  for (const Latest::By& one : latest.looked) depends_on(one);
  if (latest.looked.empty()) depends_on(latest.changed);
  latest.looked.clear();
  latest.changed = {step.site, step.task, true};
  return fresh;
}

// A try that comes before an unlock may fail.
bool is_new_order(const Race& race, const Lookahead& lookahead, const StatementOrders& orders) {
  const NextOperation first = lookahead.made(race.first);
  const NextOperation second = lookahead.next(race.second.choice.task, race.second_step);
  if (is_left_out(first.kind)) return !orders.seen_failed(second.site);
  return !orders.seen(second.site, first.site);
}

bool is_new_variant(std::uint32_t step, Choice choice, const Lookahead& lookahead, const StatementOrders& orders) {
  return !orders.seen_variant(choice.variant, lookahead.next(choice.task, step).site);
}

void NewOrders::begin(const Lookahead& lookahead, std::uint32_t first, const StatementOrders& orders) {
  lookahead_ = &lookahead;
  orders_ = &orders;
  reversals_.begin(lookahead.execution(), first,
                   [this](const Race& race) { return is_new_order(race, *lookahead_, *orders_); });
}

bool NewOrders::are_brought_by(std::uint32_t step, Choice choice) const {
  const StepRecord& made = lookahead_->execution().steps[step];
  if (choice.variant != 0) return is_new_variant(step, choice, *lookahead_, *orders_);
  return made.task == choice.task || reversals_.wanted(step, choice.task) != Reversals::Wanted::No;
}

}  // namespace heddle
