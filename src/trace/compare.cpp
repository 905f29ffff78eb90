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
  if (stops(step)) return ", stopping behind it";
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
  if (execution.end.end == EndKind::Diverged) return "the thread that the schedule has go on here can't";
  const bool assertion = execution.message(MessageKind::AssertionFailed) != nullptr;
  const std::string_view how = assertion ? "a failed assertion" : word_for(kEndWords, execution.end.end);
  return fmt::format("no step: the execution had ended ({})", how);
}

}  // namespace

std::string describe_step(const Execution& execution, const StepRecord& step) {
  const std::string who = step.task == 0 ? "main" : fmt::format("thread {}", step.task);
  // What memory holds and has no room in a record has this result.
  const bool shown = object_kind(step.operation) != ObjectKind::Memory || step.result != INT32_MIN;
  return fmt::format("{}: {}{}{}{}", who, name(step.operation), describe_objects(execution, step),
                     describe_variant(step), shown ? fmt::format(", result {}", step.result) : std::string());
}

std::optional<Divergence> compare(const Execution& expected, const Execution& seen) {
  const std::size_t common = std::min(expected.steps.size(), seen.steps.size());
  std::size_t index = 0;
  while (index < common && same_step(expected, expected.steps[index], seen, seen.steps[index])) ++index;
  if (index == expected.steps.size() && index == seen.steps.size()) return {};
  return Divergence{static_cast<std::uint32_t>(index), describe_at(expected, index), describe_at(seen, index)};
}

namespace {

bool same_address(const ObjectRecord& x, const ObjectRecord& y) {
  return x.object == y.object && x.address == y.address && x.created_at == y.created_at;
}

std::string describe_end(const Execution& execution) {
  return fmt::format("the end: {}, status {}, {} objects", word_for(kEndWords, execution.end.end), execution.end.status,
                     execution.objects.size());
}

}  // namespace

std::optional<Divergence> compare_exactly(const Execution& expected, const Execution& seen) {
  if (auto divergence = compare(expected, seen)) return divergence;
  for (std::uint32_t i = 0; i < expected.steps.size(); ++i)
    if (expected.steps[i].site != seen.steps[i].site)
      return Divergence{i, fmt::format("a call at {:#x}", expected.steps[i].site),
                        fmt::format("one at {:#x}", seen.steps[i].site)};
  const auto last = static_cast<std::uint32_t>(expected.steps.size());
  const bool same_end = expected.end.end == seen.end.end && expected.end.status == seen.end.status &&
                        expected.end.preemptions == seen.end.preemptions &&
                        expected.objects.size() == seen.objects.size();
  if (!same_end) return Divergence{last, describe_end(expected), describe_end(seen)};
  for (std::size_t i = 0; i < expected.objects.size(); ++i)
    if (!same_address(expected.objects[i], seen.objects[i]))
      return Divergence{last,
                        fmt::format("{} at {:#x}", describe_object(expected, expected.objects[i].object),
                                    expected.objects[i].address),
                        fmt::format("{:#x}", seen.objects[i].address)};
  return std::nullopt;
}

}  // namespace heddle
