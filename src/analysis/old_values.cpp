// See old_values.h.
#include "analysis/old_values.h"

#include <map>
#include <utility>

namespace heddle {
namespace {

using K = OperationKind;

// The store that was read, `variant` before the newest. Of a compare-exchange those do not count that hold what it
// expects, which is not in the record; but what it has found is.
void find_read(const Execution& execution, const std::vector<std::size_t>& stores, OldValue& old) {
  const StepRecord& step = execution.steps[old.step];
  if (step.operation == K::AtomicLoad) {
    if (step.variant < stores.size()) old.read = stores[stores.size() - 1 - step.variant];
    return;
  }
  std::size_t found = 0;
  for (std::size_t i = 0; i + 1 < stores.size(); ++i)
    if (execution.steps[stores[i]].result == step.result) ++found, old.read = stores[i];
  old.known = step.result != INT32_MIN && found <= 1;
}

}  // namespace

bool is_atomic(const StepRecord& step) {
  return step.operation == K::AtomicLoad || is_atomic_store(step) || step.operation == K::AtomicCompareExchange;
}

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
      if (!old) continue;
      OldValue& one = result.emplace_back();
      one.step = i;
      one.missed = stores.back();
      find_read(execution, stores, one);
      continue;
    }
    const std::size_t at = old && step.variant <= stores.size() ? stores.size() - step.variant : stores.size();
    if (old && at < stores.size())
      result.push_back({i, at == 0 ? std::nullopt : std::optional(stores[at - 1]), true, stores[at], true});
    stores.insert(stores.begin() + static_cast<std::ptrdiff_t>(at), i);
  }
  return result;
}

}  // namespace heddle
