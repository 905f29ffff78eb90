// See heap_fault.h.
#include "analysis/heap_fault.h"

#include <string_view>
#include <utility>

#include "analysis/hex_words.h"
#include "protocol/memory_text.h"

namespace heddle {
namespace {

// The part of a text before the next zero byte, taken from its front.
std::string_view take_part(std::string_view& text) {
  const auto end = text.find('\0');
  const std::string_view part = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  return part;
}

// "block begin bytes task steps site…", or "freed …".
std::optional<BlockEvent> parse_event(std::string_view text) {
  const std::string_view what = take_word(text);
  const bool freed = what == MemoryText::kFreed;
  if (!freed && what != MemoryText::kBlock) return std::nullopt;
  const auto begin = take_number(text), bytes = take_number(text), task = take_number(text), steps = take_number(text);
  if (!begin || !bytes || !task || !steps) return std::nullopt;
  BlockEvent event{*begin, *bytes, freed, static_cast<TaskId>(*task), static_cast<std::uint32_t>(*steps), {}};
  while (!text.empty())
    if (const auto site = take_number(text)) event.stack.push_back(*site);
  return event;
}

}  // namespace

std::optional<HeapFault> heap_fault(const Execution& execution) {
  const ExecutionMessage* const message = execution.message(MessageKind::HeapFault);
  if (message == nullptr) return std::nullopt;
  std::string_view text = message->text, first = take_part(text);
  HeapFault fault;
  fault.address = take_number(first).value_or(0);
  while (!text.empty()) {
    std::string_view part = take_part(text);
    if (auto event = parse_event(part))
      fault.events.push_back(std::move(*event));
    else if (take_word(part) == MemoryText::kOverrun)
      fault.overrun_bytes = take_number(part).value_or(0);
  }
  return fault;
}

}  // namespace heddle
