// See old_values.h.
#include "analysis/old_values.h"

#include <map>
#include <utility>

namespace heddle {
namespace {

using K = OperationKind;

bool is_atomic(const StepRecord& step) {
  return step.operation == K::AtomicLoad || is_atomic_store(step) || step.operation == K::AtomicCompareExchange;
}

// The store that the step stands on: counted from the newest, `variant` back. Of a compare-exchange those do not count
// that hold what it expects; what it has found is in the record.
std::optional<std::size_t> read_by(const Execution& execution, const std::vector<std::size_t>& stores,
                                   const StepRecord& step) {
  std::size_t back = step.variant;
  if (step.operation == K::AtomicCompareExchange && step.result != INT32_MIN) {
    for (std::size_t i = stores.size() - 1; i-- > 0;)
      if (execution.steps[stores[i]].result == step.result) return stores[i];
    return {};
  }
  if (back >= stores.size()) return {};
  return stores[stores.size() - 1 - back];
}

}  // namespace

bool is_atomic_store(const StepRecord& step) {
  if (step.operation == K::AtomicStore || step.operation == K::AtomicUpdate) return true;
  return step.operation == K::AtomicCompareExchange && (step.flags & StepFlags::Wrote) != 0;
}

std::vector<OldValue> old_values(const Execution& execution) {
  std::vector<OldValue> result;
  std::map<std::pair<ObjectId, std::uint8_t>, std::vector<std::size_t>> locations;  // stores, in modification order
  for (std::size_t i = 0; i < execution.steps.size(); ++i) {
    const StepRecord& step = execution.steps[i];
    if (!is_atomic(step)) continue;
    std::vector<std::size_t>& stores = locations[{step.object, offset_of(step)}];
    const bool old = step.variant != 0 && step.variant < kFirstSpecial && !stores.empty();
    if (!is_atomic_store(step)) {
      if (old) result.push_back({i, read_by(execution, stores, step), stores.back(), false});
      continue;
    }
    const std::size_t at = old && step.variant <= stores.size() ? stores.size() - step.variant : stores.size();
    if (old && at < stores.size())
      result.push_back({i, at == 0 ? std::nullopt : std::optional(stores[at - 1]), stores[at], true});
    stores.insert(stores.begin() + static_cast<std::ptrdiff_t>(at), i);
  }
  return result;
}

}  // namespace heddle
