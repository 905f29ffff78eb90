// See late_accesses.h.
#include "search/late_accesses.h"

#include <algorithm>

namespace heddle {
namespace {

constexpr std::int64_t kOfFirst = -2;  // where the first value stands

}  // namespace

void LateAccesses::read(const ExecutionOrder& order) {
  order_ = &order;
  stores_.read(*order.execution);
  const std::size_t steps = order.events.size();
  numbers_.assign(steps, 0);
  positions_.assign(steps, kOfFirst);
  read_.assign(steps, ModificationOrder::kNone);
  seen_.assign(steps, 0);
  question_ = 0;
  for (std::size_t step = 0; step < steps; ++step) {
    const std::uint32_t before = order.previous_of[step];
    numbers_[step] = before != ExecutionOrder::kNone ? numbers_[before] + 1 : 0;
    read_[step] = stores_[step].read;
    if (!stores_[step].stores) continue;
    const auto& all = stores_.stores(stores_[step].variable);
    const auto at = std::find(all.begin(), all.end(), static_cast<std::uint32_t>(step)) - all.begin();
    positions_[step] = 2 * static_cast<std::int64_t>(at);
  }
}

bool LateAccesses::shows_more(std::uint32_t step, Variant variant) {
  const ModificationOrder::Access& access = stores_[step];
  if (access.variable == ModificationOrder::kNone) return true;
  if (order_->execution->steps[step].operation == OperationKind::AtomicCompareExchange) return true;
  // As if it had taken this way.
  const std::uint32_t read = read_[step];
  const std::int64_t position = positions_[step];
  if (!access.stores) {
    read_[step] = stores_.read_by(step, variant);
    if (read_[step] == ModificationOrder::kUnknown) return read_[step] = read, true;
  } else {
    const std::uint32_t before = stores_.stands_before(step, variant);
    if (before == ModificationOrder::kNone) return true;
    positions_[step] = positions_[before] - 1;
  }
  const bool result = is_in_its_own_order(step);
  read_[step] = read;
  positions_[step] = position;
  return result;
}

// Is each pair that runs the other way round led to by what was put in order before it?
bool LateAccesses::is_in_its_own_order(std::uint32_t step) {
  for (const std::uint32_t earlier : order_->accesses_to[order_->accesses[step].object]) {
    if (earlier >= step) break;
    if (pair(earlier, step) == Pair::Inverted && !leads_to(earlier, step, {name(step), name(earlier)})) return false;
  }
  return true;
}

std::int64_t LateAccesses::position(std::uint32_t store) const {
  return store == ModificationOrder::kFirst ? kOfFirst : positions_[store];
}

LateAccesses::Pair LateAccesses::pair(std::uint32_t earlier, std::uint32_t later) const {
  const ModificationOrder::Access &one = stores_[earlier], &other = stores_[later];
  if (one.variable != other.variable || one.variable == ModificationOrder::kNone) return Pair::Fixed;
  if (!one.stores && !other.stores) return Pair::Independent;
  if (read_[later] == earlier) return Pair::Fixed;
  const bool unknown = (!one.stores && read_[earlier] == ModificationOrder::kUnknown) ||
                       (!other.stores && read_[later] == ModificationOrder::kUnknown);
  if (unknown) return Pair::Fixed;
  // A load stands behind the store that it has read, and before the next one.
  const std::int64_t first = one.stores ? positions_[earlier] : position(read_[earlier]);
  const std::int64_t second = other.stores ? positions_[later] : position(read_[later]);
  if (first > second || (first == second && !one.stores)) return Pair::Inverted;
  // An update reads the newest store, so what stands behind it comes later.
  const bool is_update = one.stores && one.read != ModificationOrder::kNone;
  return is_update ? Pair::Fixed : Pair::AsTheyRan;
}

// The same in every schedule.
std::uint64_t LateAccesses::name(std::uint32_t step) const {
  return std::uint64_t{order_->events[step].choice.task} << 32 | numbers_[step];
}

// Does a way lead from one step to a later one, by pairs of a rank below this one, and by what is fixed?
bool LateAccesses::leads_to(std::uint32_t from, std::uint32_t to, const Rank& below) {
  ++question_;
  open_.clear();
  come_to(to);
  while (!open_.empty()) {
    const std::uint32_t step = open_.back();
    open_.pop_back();
    if (step == from) return true;
    if (step > from && order_->ordered(from, step)) look_behind(step, from, below);
  }
  return false;
}

void LateAccesses::come_to(std::uint32_t step) {
  if (step == ExecutionOrder::kNone || seen_[step] == question_) return;
  seen_[step] = question_;
  open_.push_back(step);
}

// What comes directly before it.
void LateAccesses::look_behind(std::uint32_t step, std::uint32_t from, const Rank& below) {
  const ExecutionOrder& order = *order_;
  const Access& access = order.accesses[step];
  const TaskId task = order.events[step].choice.task;
  come_to(order.previous_of[step] != ExecutionOrder::kNone ? order.previous_of[step] : order.created_by[task]);
  come_to(order.woken_by[step]);
  const auto last_of = [&](const std::vector<std::uint32_t>& list, bool member) {
    if (!member) return;
    const auto at = std::lower_bound(list.begin(), list.end(), step);
    if (at != list.begin()) come_to(*(at - 1));
  };
  last_of(order.with_everything, true);
  last_of(order.with_outside, access.outside);
  last_of(order.creations, access.creates);
  last_of(order.fences, access.sequential);
  if (access.everything)
    for (std::uint32_t other = 0; other < order.task_count; ++other)
      if (const std::uint32_t last = order.clock_of(step)[other]; other != task && last != 0) come_to(last - 1);
  if (access.fence)
    for (const std::uint32_t other : order.sequential)
      if (other > from && other < step) come_to(other);
  for (const ObjectId object : {access.object, access.second})
    if (object != kNoObject) look_at_object(step, from, object, below);
}

void LateAccesses::look_at_object(std::uint32_t step, std::uint32_t from, ObjectId object, const Rank& below) {
  const bool wrote = order_->accesses[step].wrote;
  const auto& list = wrote ? order_->accesses_to[object] : order_->writes_to[object];
  for (auto at = std::lower_bound(list.begin(), list.end(), from); at != list.end() && *at < step; ++at) {
    const Pair kind = pair(*at, step);
    if (kind == Pair::Fixed || (kind == Pair::AsTheyRan && Rank{name(*at), name(step)} < below)) come_to(*at);
  }
}

}  // namespace heddle
