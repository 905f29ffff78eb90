// See memory_origin.h.
#include "analysis/memory_origin.h"

#include <string_view>

#include "trace/module_names.h"

namespace heddle {
namespace {

// The words of a text, taken from its front; empty behind the last one.
std::string_view take_word(std::string_view& text) {
  const auto space = text.find(' ');
  const std::string_view word = text.substr(0, space);
  text.remove_prefix(space == std::string_view::npos ? text.size() : space + 1);
  return word;
}

std::optional<std::uint64_t> take_number(std::string_view& text) {
  return parse_hex("0x" + std::string(take_word(text)));
}

std::optional<MemoryOrigin> parse(std::string_view text) {
  MemoryOrigin origin;
  origin.is_block = take_word(text) == "block";
  if (origin.is_block) {
    const auto begin = take_number(text), size = take_number(text);
    if (!begin || !size) return std::nullopt;
    origin.begin = *begin;
    origin.size = *size;
  }
  const auto task = take_number(text);
  if (!task) return std::nullopt;
  origin.task = static_cast<TaskId>(*task);
  while (!text.empty())
    if (const auto site = take_number(text)) origin.stack.push_back(*site);
  return origin;
}

}  // namespace

std::optional<MemoryOrigin> memory_origin(const Execution& execution, std::uint64_t address) {
  for (const ExecutionMessage& message : execution.messages) {
    if (message.kind != MessageKind::MemoryOrigin) continue;
    const auto end = message.text.find('\0');
    if (end == std::string::npos || parse_hex("0x" + message.text.substr(0, end)) != address) continue;
    return parse(std::string_view(message.text).substr(end + 1));
  }
  return std::nullopt;
}

}  // namespace heddle
