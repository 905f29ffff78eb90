// See written_values.h.
#include "analysis/written_values.h"

#include <algorithm>
#include <string_view>

#include "analysis/hex_words.h"
#include "protocol/memory_text.h"

namespace heddle {
namespace {

struct Told {
  std::string_view what;
  std::uint64_t address = 0;
  RawValue value;
};

std::optional<Told> parse(const ExecutionMessage& message) {
  if (message.kind != MessageKind::MemoryOrigin) return {};
  std::string_view text = message.text;
  const std::string_view what = take_word(text);
  const auto address = take_number(text), size = take_number(text), value = take_number(text);
  if (!address || !size || !value || *size == 0 || *size > 8) return {};
  return Told{what, *address, {*value, static_cast<unsigned>(*size)}};
}

// The first value that a message gives for this access, from its step on.
std::optional<RawValue> find(const Execution& execution, const RaceRecord& later, std::string_view what) {
  for (const ExecutionMessage& message : execution.messages) {
    if (message.step < later.step || message.task != later.task) continue;
    const auto told = parse(message);
    if (told && told->what == what && told->address == later.address) return told->value;
  }
  return {};
}

}  // namespace

WrittenValues::WrittenValues(const Execution& execution) {
  for (const ExecutionMessage& message : execution.messages) {
    const auto told = parse(message);
    if (!told || told->what != ValueText::kWritten) continue;
    for (std::size_t i = std::min<std::size_t>(message.step, execution.steps.size()); i-- > 0;) {
      const StepRecord& step = execution.steps[i];
      if (step.task != message.task) continue;
      if (step.operation == OperationKind::MemoryWrite) of_steps_[i] = told->value;
      break;
    }
  }
}

std::optional<RawValue> WrittenValues::of_step(std::size_t index) const {
  const auto found = of_steps_.find(index);
  return found == of_steps_.end() ? std::nullopt : std::optional(found->second);
}

std::optional<RawValue> WrittenValues::before(const Execution& execution, const RaceRecord& later) {
  return find(execution, later, ValueText::kBefore);
}

std::optional<RawValue> WrittenValues::after(const Execution& execution, const RaceRecord& later) {
  return find(execution, later, ValueText::kAfter);
}

}  // namespace heddle
