// Mistakes in memory orders.
#include "analysis/old_values.h"

#include <fmt/format.h>

#include <string>

#include "report/patterns/patterns.h"

namespace heddle::patterns {
namespace {

const char* word_of(AtomicOrder order) {
  switch (order) {
    case AtomicOrder::Relaxed:
      return "relaxed";
    case AtomicOrder::Consume:
    case AtomicOrder::Acquire:
      return "acquire";
    case AtomicOrder::Release:
      return "release";
    case AtomicOrder::AcquireRelease:
      return "acq_rel or stronger";
    case AtomicOrder::SequentiallyConsistent:
      return "seq_cst";
  }
  return "";
}

// Which one.
Prose which(const PatternInput& input, const OldValue& old) {
  if (!old.known) return {};
  if (!old.read) return ": the value that was there first";
  return prose(": what {} stored {}", input.names.task(input.execution.steps[*old.read].task),
               at_step(input, *old.read));
}

}  // namespace

// The failure may need more of them; the last one is nearest to it.
Prose old_value_read(const PatternInput& input) {
  const std::vector<OldValue> all = old_values(input.execution);
  if (all.empty()) return {};
  const OldValue& old = all.back();
  const StepRecord& step = input.execution.steps[old.step];
  const StepRecord& missed = input.execution.steps[old.missed];
  const Span task = input.names.task(step.task), other = input.names.task(missed.task);
  const Prose variable = input.names.accessed(step);
  const char* own = word_of(order_of(step));
  const char* others = word_of(order_of(missed));
  const bool both = order_of(step) == AtomicOrder::SequentiallyConsistent && order_of(missed) == order_of(step);
  if (old.is_store)
    return prose(
        "{} stores to {} {}, and the store comes before that of {} {} in modification order. The memory orders ({} and "
        "{}) allow it: nothing makes one of the two stores happen before the other.",
        task, variable, at_step(input, old.step), other, at_step(input, old.missed), own, others);
  const bool exchange = step.operation == OperationKind::AtomicCompareExchange;
  const std::string load =
      exchange ? "the compare-exchange fails, so its failure order counts" : fmt::format("the load is {}", own);
  const std::string why =
      both && !exchange ? "both are seq_cst, but that alone doesn't put the store first, and no other operation does"
                        : fmt::format("the store is {}, {}, and nothing else makes the store happen before the {}",
                                      others, load, exchange ? "compare-exchange" : "load");
  return prose("{} reads an old value of {} {}{}. It misses the store of {} {}. The memory orders allow it: {}.", task,
               variable, at_step(input, old.step), which(input, old), other, at_step(input, old.missed), why);
}

}  // namespace heddle::patterns
