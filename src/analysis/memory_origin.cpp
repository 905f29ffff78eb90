// See memory_origin.h.
#include "analysis/memory_origin.h"

#include <fmt/format.h>

#include <string_view>

#include "analysis/hex_words.h"
#include "protocol/memory_text.h"

namespace heddle {
namespace {

// The last one only says where the one before it begins.
std::vector<StackFrame> take_frames(std::string_view& text) {
  std::vector<StackFrame> frames;
  constexpr std::size_t kMax = 3;
  while (!text.empty() && frames.size() < kMax) {
    const auto site = take_number(text), stack_pointer = take_number(text), frame_pointer = take_number(text);
    if (!site || !stack_pointer || !frame_pointer) return {};
    if (!frames.empty()) frames.back().begin = *stack_pointer;
    frames.push_back({*site, *stack_pointer, *frame_pointer, 0});
  }
  if (!frames.empty()) frames.pop_back();
  return {frames.rbegin(), frames.rend()};
}

std::optional<MemoryOrigin> parse(std::string_view text) {
  MemoryOrigin origin;
  origin.is_block = take_word(text) == MemoryText::kBlock;
  if (origin.is_block) {
    const auto begin = take_number(text), size = take_number(text);
    if (!begin || !size) return std::nullopt;
    origin.begin = *begin;
    origin.size = *size;
  }
  const auto task = take_number(text);
  if (!task) return std::nullopt;
  origin.task = static_cast<TaskId>(*task);
  if (!origin.is_block) origin.frames = take_frames(text);
  while (origin.is_block && !text.empty())
    if (const auto site = take_number(text)) origin.stack.push_back(*site);
  return origin;
}

}  // namespace

std::optional<MemoryOrigin> memory_origin(const Execution& execution, ObjectId object) {
  const std::string wanted = fmt::format("{} {:x}", MemoryText::kObject, object);
  for (const ExecutionMessage& message : execution.messages) {
    if (message.kind != MessageKind::MemoryOrigin) continue;
    const auto end = message.text.find('\0');
    if (end != std::string::npos && message.text.compare(0, end, wanted) == 0)
      return parse(std::string_view(message.text).substr(end + 1));
  }
  return std::nullopt;
}

std::optional<MemoryOrigin> memory_origin(const Execution& execution, const RaceRecord& later) {
  const std::string wanted = fmt::format("{:x} {:x}", later.address, later.site);
  for (const ExecutionMessage& message : execution.messages) {
    if (message.kind != MessageKind::MemoryOrigin || message.step != later.step) continue;
    const auto end = message.text.find('\0');
    if (end == std::string::npos || message.text.compare(0, end, wanted) != 0) continue;
    return parse(std::string_view(message.text).substr(end + 1));
  }
  return std::nullopt;
}

}  // namespace heddle
