// See modification_order.h.
#include "analysis/modification_order.h"

#include <algorithm>

#include "protocol/memory_model.h"

namespace heddle {
namespace {

using K = OperationKind;

bool is_update(const StepRecord& step) { return step.operation != K::AtomicStore; }

// Which of several outcomes the operation had; 0 where it has one only.
Variant variant_of(const StepRecord& step) { return step.variant < kFirstSpecial ? step.variant : Variant{0}; }

}  // namespace

bool is_atomic(const StepRecord& step) {
  return step.operation == K::AtomicLoad || is_atomic_store(step) || step.operation == K::AtomicCompareExchange;
}

bool is_atomic_store(const StepRecord& step) {
  if (step.operation == K::AtomicStore || step.operation == K::AtomicUpdate) return true;
  return step.operation == K::AtomicCompareExchange && (step.flags & StepFlags::Wrote) != 0;
}

void ModificationOrder::read(const Execution& execution) {
  execution_ = &execution;
  accesses_.assign(execution.steps.size(), {});
  numbers_.clear();
  variables_.clear();
  for (std::uint32_t step = 0; step < execution.steps.size(); ++step)
    if (is_atomic(execution.steps[step])) take(step);
}

void ModificationOrder::take(std::uint32_t step) {
  const StepRecord& made = execution_->steps[step];
  const auto next = static_cast<std::uint32_t>(variables_.size());
  const auto [number, fresh] = numbers_.try_emplace({made.object, offset_of(made)}, next);
  if (fresh) variables_.emplace_back();
  Access& access = accesses_[step];
  access.variable = number->second;
  access.stores = is_atomic_store(made);
  Variable& variable = variables_[access.variable];
  const Variant variant = variant_of(made);
  if (!access.stores || is_update(made)) access.read = read_by(step, variant);
  if (access.stores) {
    const std::uint32_t before = stands_before(step, variant);
    variable.stores.insert(std::find(variable.stores.begin(), variable.stores.end(), before), step);
  } else if (variant != 0 && access.read != kUnknown) {
    variable.old_reads.push_back({made.task, step, access.read});
  }
}

std::vector<std::uint32_t> ModificationOrder::stores_before(std::size_t step) const {
  std::vector<std::uint32_t> result;
  for (const std::uint32_t store : variables_[accesses_[step].variable].stores)
    if (store < step) result.push_back(store);
  return result;
}

std::uint32_t ModificationOrder::newest_before(std::size_t step) const {
  const std::vector<std::uint32_t>& all = variables_[accesses_[step].variable].stores;
  const auto newest = std::find_if(all.rbegin(), all.rend(), [step](std::uint32_t store) { return store < step; });
  return newest != all.rend() ? *newest : kFirst;
}

// As WeakMemory::for_each_older(): a task reads a store as an old one a few times at most.
std::uint32_t ModificationOrder::read_by(std::size_t step, Variant variant) const {
  if (variant == 0) return newest_before(step);
  const StepRecord& made = execution_->steps[step];
  if (made.operation != K::AtomicLoad) return made.variant == variant ? find_value(step) : kUnknown;
  const std::vector<OldRead>& reads = variables_[accesses_[step].variable].old_reads;
  const auto may_be_read = [&](std::uint32_t store) {
    const auto times = std::count_if(reads.begin(), reads.end(), [&](const OldRead& one) {
      return one.task == made.task && one.store == store && one.step < step;
    });
    return times < kMostOldReads;
  };
  const std::vector<std::uint32_t> stores = stores_before(step);
  for (std::size_t i = stores.size(); i-- > 0;) {
    const std::uint32_t store = i != 0 ? stores[i - 1] : kFirst;
    if (may_be_read(store) && --variant == 0) return store;
  }
  return kUnknown;
}

// Of a compare-exchange those do not count that hold what it expects; but what it has found is in the record.
std::uint32_t ModificationOrder::find_value(std::size_t step) const {
  const StepRecord& made = execution_->steps[step];
  const std::uint32_t newest = newest_before(step);
  std::uint32_t result = kFirst;
  unsigned found = 0;
  for (const std::uint32_t store : stores_before(step))
    if (store != newest && execution_->steps[store].result == made.result) ++found, result = store;
  return made.result != INT32_MIN && found <= 1 ? result : kUnknown;
}

// As WeakMemory::store(): what has been updated stays directly before its update.
std::uint32_t ModificationOrder::stands_before(std::size_t step, Variant variant) const {
  if (variant == 0) return kNone;
  const std::vector<std::uint32_t> stores = stores_before(step);
  for (std::size_t i = stores.size(); i-- > 0;)
    if (!is_update(execution_->steps[stores[i]]) && --variant == 0) return stores[i];
  return kNone;
}

}  // namespace heddle
