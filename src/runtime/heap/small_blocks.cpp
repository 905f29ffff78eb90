// See small_blocks.h.
#include "runtime/heap/small_blocks.h"

#include <cstring>

#include "runtime/heap/size_classes.h"

namespace heddle::runtime {

void SmallBlocks::use_chunk(char* begin, char* end) {
  bump_ = begin + kSmallHeaderBytes;
  chunk_end_ = end;
  mark_end();
}

void SmallBlocks::grow_chunk(char* end) {
  chunk_end_ = end;
  mark_end();
}

void SmallBlocks::mark_end() {
  const auto rest = static_cast<std::size_t>(chunk_end_ - bump_) - kSmallHeaderBytes;
  auto* mark = reinterpret_cast<std::uint64_t*>(bump_);
  *mark = make_header(mark, rest / kUnit, State::kSmall | State::kInternal);
}

void* SmallBlocks::take(const Arena& arena, unsigned size_class, bool& corrupted) {
  const std::uint32_t units = kClassUnits[size_class];
  const std::uint32_t offset = freed_[size_class];
  if (offset == kNone) return nullptr;
  auto* memory = arena.address(offset);
  auto* header = reinterpret_cast<std::uint64_t*>(memory - kSmallHeaderBytes);
  // The link lies in memory that the program may have written to after it freed the block.
  if (memory >= arena.top() || *header != make_header(header, units, State::kSmall)) {
    corrupted = true;
    return nullptr;
  }
  std::uint64_t link = 0;
  std::memcpy(&link, memory, sizeof link);
  freed_[size_class] = static_cast<std::uint32_t>(link);
  *header = make_header(header, units, State::kSmall | State::kUsed);
  arena.fill(memory, memory + units * kUnit - kSmallHeaderBytes);
  return memory;
}

void* SmallBlocks::make(std::uint32_t units) {
  if (static_cast<std::size_t>(chunk_end_ - bump_) < units * kUnit) return nullptr;
  auto* header = reinterpret_cast<std::uint64_t*>(bump_);
  *header = make_header(header, units, State::kSmall | State::kUsed);
  bump_ += units * kUnit;
  mark_end();
  return header + 1;
}

void SmallBlocks::forget(Arena& arena) {
  std::memset(freed_, 0, sizeof freed_);
  arena.zero(bump_, chunk_end_);
  mark_end();
}

void SmallBlocks::give_back(const Arena& arena, std::uint64_t* header) {
  const std::uint32_t units = units_in(*header);
  std::uint32_t& list = freed_[kSizeClasses.of_units[units]];
  *header = make_header(header, units, State::kSmall);
  const std::uint64_t link[2] = {kScribble << 32 | list, kScribble << 32 | kScribble};
  std::memcpy(header + 1, link, sizeof link);
  list = arena.offset_of(header + 1);
}

}  // namespace heddle::runtime
