// Step-by-step comparison of executions; see compare.h.
#include "trace/compare.h"

#include <fmt/format.h>

#include <algorithm>

#include "trace/words.h"

namespace heddle {
namespace {

std::string describe_object(const Execution& execution, ObjectId id) {
  const ObjectRecord* object = execution.object(id);
  return fmt::format("{} {}", object == nullptr ? "object" : name(object->object_kind), id);
}

std::string describe_objects(const Execution& execution, const StepRecord& step) {
  if (step.object == kNoObject) return {};
  if (step.object2 == kNoObject) return fmt::format(" ({})", describe_object(execution, step.object));
  return fmt::format(" ({}, {})", describe_object(execution, step.object), describe_object(execution, step.object2));
}

std::string describe_variant(const StepRecord& step) {
  if (step.variant == kTimeout) return ", timing out";
  if (step.variant == kSpurious) return ", spuriously";
  if (step.variants > 1) return fmt::format(", alternative {} of {}", step.variant + 1, step.variants);
  return {};
}

ObjectKind kind_of(const Execution& execution, ObjectId id) {
  const ObjectRecord* object = execution.object(id);
  return object == nullptr ? ObjectKind::None : object->object_kind;
}

bool same_objects(const Execution& a, const StepRecord& x, const Execution& b, const StepRecord& y) {
  return x.object == y.object && x.object2 == y.object2 && kind_of(a, x.object) == kind_of(b, y.object);
}

bool same_step(const Execution& a, const StepRecord& x, const Execution& b, const StepRecord& y) {
  return x.task == y.task && x.operation == y.operation && x.variant == y.variant && x.variants == y.variants &&
         x.result == y.result && same_objects(a, x, b, y);
}

std::string describe_at(const Execution& execution, std::size_t index) {
  if (index < execution.steps.size()) return describe_step(execution, execution.steps[index]);
  return fmt::format("no step: the execution had ended ({})", word_for(kEndWords, execution.end.end));
}

}  // namespace

std::string describe_step(const Execution& execution, const StepRecord& step) {
  return fmt::format("thread {}: {}{}{}, result {}", step.task, name(step.operation), describe_objects(execution, step),
                     describe_variant(step), step.result);
}

std::optional<Difference> compare(const Execution& expected, const Execution& seen) {
  const std::size_t common = std::min(expected.steps.size(), seen.steps.size());
  std::size_t index = 0;
  while (index < common && same_step(expected, expected.steps[index], seen, seen.steps[index])) ++index;
  if (index == expected.steps.size() && index == seen.steps.size()) return {};
  return Difference{static_cast<std::uint32_t>(index), describe_at(expected, index), describe_at(seen, index)};
}

}  // namespace heddle
