// See old_values.h.
#include "analysis/old_values.h"

namespace heddle {
namespace {

using Order = ModificationOrder;

std::optional<std::size_t> step_of(std::uint32_t store) {
  return store < Order::kNone ? std::optional<std::size_t>(store) : std::nullopt;
}

// The store that stands before this one.
std::optional<std::size_t> store_before(const std::vector<std::uint32_t>& stores, std::uint32_t one) {
  std::optional<std::size_t> before;
  for (const std::uint32_t store : stores) {
    if (store == one) break;
    before = store;
  }
  return before;
}

}  // namespace

std::vector<OldValue> old_values(const Execution& execution) {
  std::vector<OldValue> result;
  Order order;
  order.read(execution);
  for (std::size_t i = 0; i < execution.steps.size(); ++i) {
    const StepRecord& step = execution.steps[i];
    if (order[i].variable == Order::kNone || step.variant == 0 || step.variant >= kFirstSpecial) continue;
    const std::uint32_t newest = order.newest_before(i);
    if (newest == Order::kFirst) continue;
    if (!order[i].stores) {
      result.push_back({i, step_of(order[i].read), order[i].read != Order::kUnknown, newest, false});
      continue;
    }
    const std::uint32_t missed = order.stands_before(i, step.variant);
    if (missed != Order::kNone) result.push_back({i, store_before(order.stores_before(i), missed), true, missed, true});
  }
  return result;
}

}  // namespace heddle
