// See bins.h.
#include "runtime/heap/bins.h"

#include <bit>

#include "runtime/heap/layout.h"

namespace heddle::runtime {
namespace {

constexpr unsigned kMaxTries = 8;  // in the bin of the wanted size

struct Bin {
  unsigned first, second;
};

Bin bin_of(std::uint32_t units) {
  if (units < 8) return {0, units};
  const auto exponent = static_cast<unsigned>(std::bit_width(units)) - 1;  // at least 3
  return {exponent - 2, (units >> (exponent - 3)) & 7};
}

}  // namespace

std::uint64_t gap_units(const char* place, std::size_t alignment) {
  const std::uintptr_t memory = reinterpret_cast<std::uintptr_t>(place) + kBlockHeaderBytes;
  std::uintptr_t aligned = (memory + alignment - 1) & ~(alignment - 1);
  while (aligned != memory && aligned - memory < kMinBlockUnits * kUnit) aligned += alignment;
  return (aligned - memory) / kUnit;
}

void Bins::forget(Arena& arena) {
  for (auto& bins : bins_)
    for (std::uint32_t offset : bins)
      while (offset != kNone) {
        auto* block = reinterpret_cast<FreeBlock*>(arena.address(offset));
        if (block->dirty_units != 0) arena.zero(reinterpret_cast<char*>(block + 1), block->end());
        block->dirty_units = 0;
        offset = block->next;
      }
}

void set_previous(const Arena& arena, HeapBlock* next, std::uint64_t units) {
  if (reinterpret_cast<char*>(next) == arena.top()) return;
  const auto state = static_cast<std::uint8_t>(state_in(next->word) & ~State::kPreviousFree);
  next->write(units_in(next->word), units != 0 ? state | State::kPreviousFree : state);
  if (units != 0) next->previous_units = units;
}

FreeBlock* Bins::find_in_bin(const Arena& arena, unsigned first, unsigned second, std::size_t alignment,
                             std::uint32_t units, bool& corrupted) const {
  std::uint32_t offset = bins_[first][second];
  for (unsigned tries = 0; offset != kNone && tries < kMaxTries; ++tries) {
    auto* block = reinterpret_cast<FreeBlock*>(arena.address(offset));
    if (reinterpret_cast<char*>(block) >= arena.top() || !is_header(&block->word) ||
        (state_in(block->word) & (State::kUsed | State::kSmall)) != 0) {
      corrupted = true;
      return nullptr;
    }
    if (gap_units(reinterpret_cast<char*>(block), alignment) + units <= units_in(block->word)) return block;
    offset = block->next;
  }
  return nullptr;
}

FreeBlock* Bins::find(const Arena& arena, std::size_t alignment, std::uint32_t units, bool& corrupted) const {
  if (first_level_ == 0) return nullptr;
  Bin bin = bin_of(units);
  if (FreeBlock* found = find_in_bin(arena, bin.first, bin.second, alignment, units, corrupted); found != nullptr)
    return found;
  // In a bin above, any block is large enough; for an aligned one that counts the most that alignment may cost.
  if (alignment > kUnit) {
    const std::uint64_t most = units + alignment / kUnit + kMinBlockUnits;
    if (most > UINT32_MAX) return nullptr;
    const Bin larger = bin_of(static_cast<std::uint32_t>(most));
    if (larger.first != bin.first || larger.second != bin.second) {
      bin = larger;
      if (FreeBlock* found = find_in_bin(arena, bin.first, bin.second, alignment, units, corrupted); found != nullptr)
        return found;
    }
  }
  if (corrupted) return nullptr;
  unsigned second_bits = second_level_[bin.first] & (0xfeu << bin.second) & 0xff;
  if (second_bits == 0) {
    const std::uint32_t first_bits = first_level_ & static_cast<std::uint32_t>(~std::uint64_t{0} << (bin.first + 1));
    if (first_bits == 0) return nullptr;
    bin.first = static_cast<unsigned>(std::countr_zero(first_bits));
    second_bits = second_level_[bin.first];
  }
  return find_in_bin(arena, bin.first, static_cast<unsigned>(std::countr_zero(second_bits)), alignment, units,
                     corrupted);
}

void Bins::insert(const Arena& arena, FreeBlock* block, std::uint64_t units, std::uint32_t dirty) {
  const Bin bin = bin_of(static_cast<std::uint32_t>(units));
  block->write(units, 0);
  block->scribble = block->scribble_too = static_cast<std::uint32_t>(kScribble);
  block->scribble |= kScribble << 32;
  block->dirty_units = dirty;
  block->previous = kNone;
  block->next = bins_[bin.first][bin.second];
  const std::uint32_t offset = arena.offset_of(block);
  if (block->next != kNone) reinterpret_cast<FreeBlock*>(arena.address(block->next))->previous = offset;
  bins_[bin.first][bin.second] = offset;
  first_level_ |= 1u << bin.first;
  second_level_[bin.first] = static_cast<std::uint8_t>(second_level_[bin.first] | 1u << bin.second);
  set_previous(arena, reinterpret_cast<HeapBlock*>(block->end()), units);
}

bool Bins::remove(const Arena& arena, FreeBlock* block) {
  const Bin bin = bin_of(units_in(block->word));
  std::uint32_t& head = bins_[bin.first][bin.second];
  const std::uint32_t offset = arena.offset_of(block);
  auto* next = block->next != kNone ? reinterpret_cast<FreeBlock*>(arena.address(block->next)) : nullptr;
  auto* previous = block->previous != kNone ? reinterpret_cast<FreeBlock*>(arena.address(block->previous)) : nullptr;
  const bool in_range = reinterpret_cast<char*>(next) < arena.top() && reinterpret_cast<char*>(previous) < arena.top();
  if (!in_range || (next != nullptr && next->previous != offset) ||
      (previous != nullptr ? previous->next : head) != offset)
    return false;
  if (next != nullptr) next->previous = block->previous;
  (previous != nullptr ? previous->next : head) = block->next;
  if (head == kNone) {
    second_level_[bin.first] = static_cast<std::uint8_t>(second_level_[bin.first] & ~(1u << bin.second));
    if (second_level_[bin.first] == 0) first_level_ &= ~(1u << bin.first);
  }
  return true;
}

}  // namespace heddle::runtime
