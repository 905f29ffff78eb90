// See orders.h.
#include "search/orders.h"

#include <algorithm>

#include "protocol/mix.h"

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

// Is not the number of a mark, or a place in the lower half of the addresses, where all code lies.
constexpr Site kIsNumber = Site{1} << 63;

// No join can come before the end of its thread.
bool is_left_out(OperationKind kind) {
  return object_kind(kind) == ObjectKind::Thread || kind == OperationKind::MutexUnlock ||
         kind == OperationKind::RwUnlock || kind == OperationKind::SpinUnlock;
}

}  // namespace

std::size_t StatementOrders::depth_of(const std::vector<Site>& stack) const {
  std::size_t depth = 0;
  for (unsigned functions = 0; depth < stack.size() && functions < context_; ++depth)
    functions += is_users_(stack[depth]) ? 1 : 0;
  return depth;
}

StatementOrders::Statement StatementOrders::statement(Site site, const std::vector<Site>* stack) const {
  if (context_ <= 1 || stack == nullptr || stack->empty() || stack->front() != site) return site;
  std::uint64_t hash = 0;
  for (std::size_t i = 0, depth = depth_of(*stack); i < depth; ++i) hash = scrambled(hash + kGoldenRatio + (*stack)[i]);
  hash |= kIsNumber;
  if (const auto [entry, added] = stacks_.try_emplace(hash); added)
    entry->second.assign(stack->begin(), stack->begin() + static_cast<std::ptrdiff_t>(depth_of(*stack)));
  return hash;
}

std::vector<Site> StatementOrders::places_of(Statement statement) const {
  const auto found = stacks_.find(statement);
  return found != stacks_.end() ? found->second : std::vector<Site>{statement};
}

std::size_t StatementOrders::learn(const Execution& execution) {
  if (!is_good(execution)) return 0;
  ++good_runs_;
  latest_.clear();
  std::size_t fresh = 0;
  for (std::size_t i = 0; i < execution.steps.size(); ++i) {
    const StepRecord& step = execution.steps[i];
    const Statement statement =
        this->statement(step.site, i < execution.stacks.size() ? &execution.stacks[i] : nullptr);
    if (is_failed_try(step.operation, step.result)) fresh += pairs_.insert({kFailed, statement}).second ? 1 : 0;
    if (has_variant(step)) fresh += pairs_.insert({mark_of(step.variant), statement}).second ? 1 : 0;
    if (step.object == kNoObject || is_left_out(step.operation)) continue;
    const Access access = access_of(step.operation, step.object, step.object2, (step.flags & StepFlags::Wrote) != 0);
    if (access.object == kNoObject) continue;
    Latest& latest = latest_[access.object];
    const Latest::By one{statement, step.task, access.wrote};
    fresh += note(latest, one);
    if (good_runs_ <= kRunsForPossible) note_all(latest, one);
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
        if (one.task != other.task && (one.wrote || other.wrote)) possible_.insert({one.statement, other.statement});
}

std::string StatementOrders::text_of_mark(Statement earlier) {
  if (earlier == kFailed) return "(fails)";
  if (earlier == 0 || earlier > kFailed) return {};
  if (earlier == mark_of(kTimeout)) return "(times out)";
  if (earlier == mark_of(kSpurious)) return "(wakes for nothing)";
  return "(in way " + std::to_string(earlier) + ")";
}

std::size_t StatementOrders::note(Latest& latest, const Latest::By& one) {
  std::size_t fresh = 0;
  const auto depends_on = [&](const Latest::By& earlier) {
    if (earlier.task == kNoTask || earlier.task == one.task) return;
    fresh += pairs_.insert({earlier.statement, one.statement}).second ? 1 : 0;
  };
  const auto is_own = [&](const Latest::By& other) { return other.task == one.task; };
  const auto own = std::find_if(latest.looked.begin(), latest.looked.end(), is_own);
  if (!one.wrote) {
    if (own == latest.looked.end()) depends_on(latest.changed);
    if (own != latest.looked.end())
      own->statement = one.statement;
    else if (latest.looked.size() < kMostLookers)
      latest.looked.push_back(one);
    return fresh;
  }
  for (const Latest::By& looked : latest.looked) depends_on(looked);
  if (latest.looked.empty()) depends_on(latest.changed);
  latest.looked.clear();
  latest.changed = one;
  return fresh;
}

// A try that comes before an unlock may fail.
bool is_new_order(const Race& race, const Lookahead& lookahead, const StatementOrders& orders) {
  const NextOperation first = lookahead.made(race.first);
  const NextOperation second = lookahead.next(race.second.choice.task, race.second_step);
  if (is_left_out(first.kind)) return !orders.seen_failed(orders.statement(second));
  return !orders.seen(orders.statement(second), orders.statement(first));
}

bool is_new_variant(std::uint32_t step, Choice choice, const Lookahead& lookahead, const StatementOrders& orders) {
  return !orders.seen_variant(choice.variant, orders.statement(lookahead.next(choice.task, step)));
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
