// The heap's larger blocks: cut from the top or from a free block of a fitting size, joined with their neighbours when
// they are freed. See heap.h.
//
// The bins: a first level for each power of two, each split into eight. A block is looked for in the bin of its own
// size (the first few entries only, they may be too small) and then in the next bin that has any: all of those fit.
#include <bit>
#include <cstring>

#include "runtime/heap/heap.h"
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

char* page_up(char* place) { return reinterpret_cast<char*>(round_up(reinterpret_cast<std::uintptr_t>(place), kPage)); }
char* page_down(char* place) {
  return reinterpret_cast<char*>(reinterpret_cast<std::uintptr_t>(place) / kPage * kPage);
}

// How many units before a block's memory is aligned, if it begins at `place` or later; never so few that they could not
// be a block.
std::uint64_t gap_units(const char* place, std::size_t alignment) {
  const std::uintptr_t memory = reinterpret_cast<std::uintptr_t>(place) + kBlockHeaderBytes;
  std::uintptr_t aligned = (memory + alignment - 1) & ~(alignment - 1);
  while (aligned != memory && aligned - memory < kMinBlockUnits * kUnit) aligned += alignment;
  return (aligned - memory) / kUnit;
}

}  // namespace

// What lies below the high water was used before.
void Heap::raise_top(char* top) {
  if (top_ < high_water_) fill(top_, top < high_water_ ? top : high_water_);
  top_ = top;
  if (top_ > high_water_) high_water_ = top_;
}

void Heap::forget_freed() {
  std::memset(small_, 0, sizeof small_);
  zero(bump_, bump_end_);
  for (auto& bins : bins_)
    for (std::uint32_t offset : bins)
      for (; offset != kNone; offset = reinterpret_cast<Free*>(address(offset))->next) {
        auto* block = reinterpret_cast<Free*>(address(offset));
        if (block->dirty_units != 0) zero(reinterpret_cast<char*>(block + 1), block->end());
        block->dirty_units = 0;
      }
  zero(top_, high_water_);
  high_water_ = top_;
}

Heap::Block* Heap::allocate_block(std::uint32_t units) { return allocate_aligned_block(kAlignment, units); }

Heap::Block* Heap::allocate_aligned_block(std::size_t alignment, std::uint32_t units) {
  Free* found = find(alignment, units);
  if (fault_ != HeapFault::None) return nullptr;
  const bool reused = found != nullptr && found->dirty_units != 0;
  Block* block = found != nullptr ? take(found, alignment, units) : block_from_top(alignment, units);
  if (block != nullptr && reused) fill(block->memory(), block->end());
  if (block != nullptr) in_use_bytes_ += std::size_t{units_in(block->word)} * kUnit;
  return block;
}

Heap::Block* Heap::block_from_top(std::size_t alignment, std::uint32_t units) {
  const std::uint64_t gap = gap_units(top_, alignment);
  if ((gap + units) * kUnit > static_cast<std::size_t>(end_ - top_)) return nullptr;
  auto* block = reinterpret_cast<Block*>(top_ + gap * kUnit);
  auto* before = reinterpret_cast<Free*>(top_);
  const auto untouched = high_water_;
  raise_top(reinterpret_cast<char*>(block) + std::size_t{units} * kUnit);
  block->write(units, gap != 0 ? State::kUsed | State::kPreviousFree : State::kUsed);
  if (gap != 0) {
    block->previous_units = gap;
    insert(before, gap, untouched > reinterpret_cast<char*>(before) ? static_cast<std::uint32_t>(gap) : 0);
  }
  return block;
}

Heap::Free* Heap::find_in_bin(unsigned first, unsigned second, std::size_t alignment, std::uint32_t units) {
  std::uint32_t offset = bins_[first][second];
  for (unsigned tries = 0; offset != kNone && tries < kMaxTries; ++tries) {
    auto* block = reinterpret_cast<Free*>(address(offset));
    if (reinterpret_cast<char*>(block) >= top_ || !is_header(&block->word) ||
        (state_in(block->word) & (State::kUsed | State::kSmall)) != 0)
      return static_cast<Free*>(fail(HeapFault::Corrupted));
    if (gap_units(reinterpret_cast<char*>(block), alignment) + units <= units_in(block->word)) return block;
    offset = block->next;
  }
  return nullptr;
}

Heap::Free* Heap::find(std::size_t alignment, std::uint32_t units) {
  if (first_level_ == 0) return nullptr;
  Bin bin = bin_of(units);
  if (Free* found = find_in_bin(bin.first, bin.second, alignment, units); found != nullptr) return found;
  // In a bin above, any block is large enough; for an aligned one that counts the most that alignment may cost.
  if (alignment > kAlignment) {
    const std::uint64_t most = units + alignment / kUnit + kMinBlockUnits;
    if (most > UINT32_MAX) return nullptr;
    const Bin larger = bin_of(static_cast<std::uint32_t>(most));
    if (larger.first != bin.first || larger.second != bin.second) {
      bin = larger;
      if (Free* found = find_in_bin(bin.first, bin.second, alignment, units); found != nullptr) return found;
    }
  }
  if (fault_ != HeapFault::None) return nullptr;
  unsigned second_bits = second_level_[bin.first] & (0xfeu << bin.second) & 0xff;
  if (second_bits == 0) {
    const std::uint32_t first_bits = first_level_ & static_cast<std::uint32_t>(~std::uint64_t{0} << (bin.first + 1));
    if (first_bits == 0) return nullptr;
    bin.first = static_cast<unsigned>(std::countr_zero(first_bits));
    second_bits = second_level_[bin.first];
  }
  return find_in_bin(bin.first, static_cast<unsigned>(std::countr_zero(second_bits)), alignment, units);
}

// Makes `found` a block in use of that size. What lies before the aligned place and behind the end stays free.
Heap::Block* Heap::take(Free* found, std::size_t alignment, std::uint32_t units) {
  if (!remove(found)) return nullptr;
  const auto all = units_in(found->word);
  const auto dirty = found->dirty_units;
  if (dirty == 0) std::memset(found->memory(), 0, sizeof(Free) - sizeof(Block));  // all that was written there
  const auto gap = static_cast<std::uint32_t>(gap_units(reinterpret_cast<char*>(found), alignment));
  const std::uint32_t rest = all - gap - units;
  const std::uint32_t size = rest >= kMinBlockUnits ? units : units + rest;
  auto* block = reinterpret_cast<Block*>(reinterpret_cast<char*>(found) + std::size_t{gap} * kUnit);
  block->write(size, gap != 0 ? State::kUsed | State::kPreviousFree : State::kUsed);
  if (gap != 0) {
    block->previous_units = gap;
    insert(found, gap, dirty < gap ? dirty : gap);
  }
  if (rest >= kMinBlockUnits)
    insert(reinterpret_cast<Free*>(block->end()), rest, dirty < rest ? dirty : rest);
  else
    set_previous(reinterpret_cast<Block*>(block->end()), 0);
  return block;
}

// Tells the block at `next` how large the free block before it is; 0: it is in use.
void Heap::set_previous(Block* next, std::uint64_t units) {
  if (reinterpret_cast<char*>(next) == top_) return;
  const auto state = static_cast<std::uint8_t>(state_in(next->word) & ~State::kPreviousFree);
  next->write(units_in(next->word), units != 0 ? state | State::kPreviousFree : state);
  if (units != 0) next->previous_units = units;
}

// The block before is in use: free neighbours are always joined.
void Heap::insert(Free* block, std::uint64_t units, std::uint32_t dirty) {
  const Bin bin = bin_of(static_cast<std::uint32_t>(units));
  block->write(units, 0);
  block->scribble = block->scribble_too = static_cast<std::uint32_t>(kScribble);
  block->scribble |= kScribble << 32;
  block->dirty_units = dirty;
  block->previous = kNone;
  block->next = bins_[bin.first][bin.second];
  const std::uint32_t offset = offset_of(block);
  if (block->next != kNone) reinterpret_cast<Free*>(address(block->next))->previous = offset;
  bins_[bin.first][bin.second] = offset;
  first_level_ |= 1u << bin.first;
  second_level_[bin.first] = static_cast<std::uint8_t>(second_level_[bin.first] | 1u << bin.second);
  set_previous(reinterpret_cast<Block*>(block->end()), units);
}

// Takes a free block out of its bin; false, and a fault: its links make no sense.
bool Heap::remove(Free* block) {
  const Bin bin = bin_of(units_in(block->word));
  std::uint32_t& head = bins_[bin.first][bin.second];
  const std::uint32_t offset = offset_of(block);
  auto* next = block->next != kNone ? reinterpret_cast<Free*>(address(block->next)) : nullptr;
  auto* previous = block->previous != kNone ? reinterpret_cast<Free*>(address(block->previous)) : nullptr;
  const bool in_range = reinterpret_cast<char*>(next) < top_ && reinterpret_cast<char*>(previous) < top_;
  if (!in_range || (next != nullptr && next->previous != offset) ||
      (previous != nullptr ? previous->next : head) != offset) {
    fail(HeapFault::Corrupted);
    return false;
  }
  if (next != nullptr) next->previous = block->previous;
  (previous != nullptr ? previous->next : head) = block->next;
  if (head == kNone) {
    second_level_[bin.first] = static_cast<std::uint8_t>(second_level_[bin.first] & ~(1u << bin.second));
    if (second_level_[bin.first] == 0) first_level_ &= ~(1u << bin.first);
  }
  return true;
}

// Joins `block`, which is being freed, with its free neighbours. The headers that come to lie inside keep saying
// "free", so that a second free() of theirs is noticed.
bool Heap::absorb(Block*& block, std::uint64_t& units, std::uint32_t& dirty) {
  auto* next = reinterpret_cast<Free*>(block->end());
  if (reinterpret_cast<char*>(next) != top_) {
    if (reinterpret_cast<char*>(next) > top_ || !is_header(&next->word)) return false;
    if ((state_in(next->word) & State::kUsed) == 0) {
      units += units_in(next->word);
      dirty += next->dirty_units;
      if (!remove(next)) return false;
      if (next->dirty_units == 0) std::memset(static_cast<void*>(next), 0, sizeof(Free));
    }
  }
  if ((state_in(block->word) & State::kPreviousFree) == 0) return true;
  const std::uint64_t size = block->previous_units;
  if (size > offset_of(block)) return false;
  auto* previous = reinterpret_cast<Free*>(reinterpret_cast<char*>(block) - size * kUnit);
  if (!is_header(&previous->word) || units_in(previous->word) != size || !remove(previous)) return false;
  block->write(units_in(block->word), 0);
  units += size;
  dirty += previous->dirty_units;
  block = previous;
  return true;
}

void Heap::release_block(Block* block) {
  std::uint64_t units = units_in(block->word);
  auto dirty = static_cast<std::uint32_t>(units);
  const std::size_t freed_bytes = units * kUnit;
  if (!absorb(block, units, dirty)) {
    fail(HeapFault::Corrupted);
    return;
  }
  in_use_bytes_ -= freed_bytes;
  block->write(units, 0);
  if (block->end() == top_) return lower_top(block);
  auto* free = static_cast<Free*>(block);
  if (dirty * kUnit >= kReleaseBytes && release_pages(reinterpret_cast<char*>(free + 1), free->end())) dirty = 0;
  insert(free, units, dirty);
}

void Heap::lower_top(Block* block) {
  top_ = reinterpret_cast<char*>(block);
  auto* free = static_cast<Free*>(block);
  free->scribble = kScribble << 32 | kScribble;
  if (static_cast<std::size_t>(high_water_ - top_) < kReleaseBytes) return;
  char* rest = page_up(reinterpret_cast<char*>(free + 1));
  if (release_pages(rest, page_up(high_water_))) high_water_ = rest;
}

// Gives what is beyond `units` back, if it is worth a block.
void Heap::cut_tail(Block* block, std::uint32_t units) {
  const std::uint32_t all = units_in(block->word);
  if (all < units + kMinBlockUnits) return;
  auto* tail = reinterpret_cast<Block*>(reinterpret_cast<char*>(block) + std::size_t{units} * kUnit);
  block->write(units, state_in(block->word));
  tail->write(all - units, State::kUsed);
  release_block(tail);
}

bool Heap::grow_in_place(Block* block, std::uint32_t units) {
  const std::uint32_t have = units_in(block->word);
  const std::uint32_t more = units - have;
  char* end = block->end();
  if (end == top_) {
    if (std::size_t{more} * kUnit > static_cast<std::size_t>(end_ - top_)) return false;
    raise_top(top_ + std::size_t{more} * kUnit);
    block->write(units, state_in(block->word));
    in_use_bytes_ += std::size_t{more} * kUnit;
    return true;
  }
  auto* next = reinterpret_cast<Free*>(end);
  if (!is_header(&next->word) || (state_in(next->word) & State::kUsed) != 0 || units_in(next->word) < more)
    return false;
  if (!remove(next)) return false;
  const bool reused = next->dirty_units != 0;
  const std::uint32_t rest = units_in(next->word) - more;
  const std::uint32_t dirty = next->dirty_units;
  const std::uint32_t size = rest >= kMinBlockUnits ? units : units + rest;
  block->write(size, state_in(block->word));
  in_use_bytes_ += std::size_t{size - have} * kUnit;
  if (rest >= kMinBlockUnits)
    insert(reinterpret_cast<Free*>(block->end()), rest, dirty < rest ? dirty : rest);
  else
    set_previous(reinterpret_cast<Block*>(block->end()), 0);
  if (reused)
    fill(end, block->end());
  else
    std::memset(end, 0, sizeof(Free));  // all that was written there
  return true;
}

// Whole pages between the two places.
bool Heap::release_pages(char* begin, char* end) {
  begin = page_up(begin);
  end = page_down(end);
  return release_ != nullptr && begin < end && release_(begin, static_cast<std::size_t>(end - begin));
}

void Heap::zero(char* begin, char* end) {
  if (static_cast<std::size_t>(end - begin) >= kReleaseBytes && release_pages(begin, end)) {
    std::memset(begin, 0, static_cast<std::size_t>(page_up(begin) - begin));
    begin = page_down(end);
  }
  std::memset(begin, 0, static_cast<std::size_t>(end - begin));
}

}  // namespace heddle::runtime
