// What a strategy knows of the outstanding plans, by their ids. Ids ascend, and most plans come back soon: a small ring
// holds them. Plans that stay out longer than a round of the ring go into a hash map.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>
#include <vector>

#include "trace/plan.h"

namespace heddle {

template <typename Value>
class PlanTable {
 public:
  void insert(PlanId plan, const Value& value) {
    Slot& slot = ring_[plan % kSlots];
    if (slot.value) overdue_.insert_or_assign(slot.plan, *slot.value);
    slot = {plan, value};
  }
  // Nothing when there is none of this id.
  std::optional<Value> take(PlanId plan) {
    Slot& slot = ring_[plan % kSlots];
    if (slot.value && slot.plan == plan) return std::exchange(slot.value, std::nullopt);
    const auto found = overdue_.find(plan);
    if (found == overdue_.end()) return {};
    const Value value = found->second;
    overdue_.erase(found);
    return value;
  }
  // All that are outstanding, in the order of their ids.
  std::vector<std::pair<PlanId, Value>> all() const {
    std::vector<std::pair<PlanId, Value>> result(overdue_.begin(), overdue_.end());
    for (const Slot& slot : ring_)
      if (slot.value) result.emplace_back(slot.plan, *slot.value);
    std::sort(result.begin(), result.end(), [](const auto& one, const auto& other) { return one.first < other.first; });
    return result;
  }

 private:
  static constexpr std::size_t kSlots = 1024;
  struct Slot {
    PlanId plan = 0;
    std::optional<Value> value;
  };
  std::array<Slot, kSlots> ring_{};
  absl::flat_hash_map<PlanId, Value> overdue_;
};

}  // namespace heddle
