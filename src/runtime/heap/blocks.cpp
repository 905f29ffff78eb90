// The heap's larger blocks: cut from the top or from a free block of a fitting size, joined with their neighbours when
// they are freed. See heap.h.
#include <cstring>

#include "runtime/heap/heap.h"
#include "runtime/heap/layout.h"

namespace heddle::runtime {
namespace {

HeapBlock* block_from_top(Arena& arena, Bins& bins, std::size_t alignment, std::uint32_t units) {
  const std::uint64_t gap = gap_units(arena.top(), alignment);
  if ((gap + units) * kUnit > arena.bytes_above_top()) return nullptr;
  auto* block = reinterpret_cast<HeapBlock*>(arena.top() + gap * kUnit);
  auto* before = reinterpret_cast<FreeBlock*>(arena.top());
  const char* const untouched = arena.high_water();
  arena.raise_top(reinterpret_cast<char*>(block) + std::size_t{units} * kUnit);
  block->write(units, gap != 0 ? State::kUsed | State::kPreviousFree : State::kUsed);
  if (gap != 0) {
    block->previous_units = gap;
    bins.insert(arena, before, gap, untouched > reinterpret_cast<char*>(before) ? static_cast<std::uint32_t>(gap) : 0);
  }
  return block;
}

// Joins `block`, which is being freed, with its free neighbours. The headers that come to lie inside keep saying
// "free", so that a second free() of theirs is noticed.
bool absorb(const Arena& arena, Bins& bins, HeapBlock*& block, std::uint64_t& units, std::uint32_t& dirty) {
  auto* next = reinterpret_cast<FreeBlock*>(block->end());
  if (reinterpret_cast<char*>(next) != arena.top()) {
    if (reinterpret_cast<char*>(next) > arena.top() || !is_header(&next->word)) return false;
    if ((state_in(next->word) & State::kUsed) == 0) {
      units += units_in(next->word);
      dirty += next->dirty_units;
      if (!bins.remove(arena, next)) return false;
      if (next->dirty_units == 0) std::memset(static_cast<void*>(next), 0, sizeof *next);
    }
  }
  if ((state_in(block->word) & State::kPreviousFree) == 0) return true;
  const std::uint64_t size = block->previous_units;
  if (size > arena.offset_of(block)) return false;
  auto* previous = reinterpret_cast<FreeBlock*>(reinterpret_cast<char*>(block) - size * kUnit);
  if (!is_header(&previous->word) || units_in(previous->word) != size || !bins.remove(arena, previous)) return false;
  block->write(units_in(block->word), 0);
  units += size;
  dirty += previous->dirty_units;
  block = previous;
  return true;
}

}  // namespace

HeapBlock* Heap::allocate_block(std::size_t alignment, std::uint32_t units) {
  bool corrupted = false;
  FreeBlock* found = free_.find(arena_, alignment, units, corrupted);
  if (corrupted) fail(HeapFault::Corrupted);
  if (fault_ != HeapFault::None) return nullptr;
  const bool reused = found != nullptr && found->dirty_units != 0;
  HeapBlock* block = found != nullptr ? take(found, alignment, units) : block_from_top(arena_, free_, alignment, units);
  if (block != nullptr && reused) arena_.fill(block->memory(), block->end());
  if (block != nullptr) in_use_bytes_ += std::size_t{units_in(block->word)} * kUnit;
  return block;
}

// Makes `found` a block in use of that size. What lies before the aligned place and behind the end stays free.
HeapBlock* Heap::take(FreeBlock* found, std::size_t alignment, std::uint32_t units) {
  if (!free_.remove(arena_, found)) {
    fail(HeapFault::Corrupted);
    return nullptr;
  }
  const auto all = units_in(found->word);
  const auto dirty = found->dirty_units;
  if (dirty == 0) std::memset(found->memory(), 0, sizeof *found - kBlockHeaderBytes);  // all that was written there
  const auto gap = static_cast<std::uint32_t>(gap_units(reinterpret_cast<char*>(found), alignment));
  const std::uint32_t rest = all - gap - units;
  const std::uint32_t size = rest >= kMinBlockUnits ? units : units + rest;
  auto* block = reinterpret_cast<HeapBlock*>(reinterpret_cast<char*>(found) + std::size_t{gap} * kUnit);
  block->write(size, gap != 0 ? State::kUsed | State::kPreviousFree : State::kUsed);
  if (gap != 0) {
    block->previous_units = gap;
    free_.insert(arena_, found, gap, dirty < gap ? dirty : gap);
  }
  if (rest >= kMinBlockUnits)
    free_.insert(arena_, reinterpret_cast<FreeBlock*>(block->end()), rest, dirty < rest ? dirty : rest);
  else
    set_previous(arena_, reinterpret_cast<HeapBlock*>(block->end()), 0);
  return block;
}

void Heap::release_block(HeapBlock* block) {
  std::uint64_t units = units_in(block->word);
  auto dirty = static_cast<std::uint32_t>(units);
  const std::size_t freed_bytes = units * kUnit;
  if (!absorb(arena_, free_, block, units, dirty)) {
    fail(HeapFault::Corrupted);
    return;
  }
  in_use_bytes_ -= freed_bytes;
  block->write(units, 0);
  auto* free = static_cast<FreeBlock*>(block);
  if (block->end() == arena_.top()) {
    free->scribble = kScribble << 32 | kScribble;
    return arena_.lower_top(reinterpret_cast<char*>(block), sizeof *free);
  }
  if (dirty * kUnit >= Arena::kReleaseBytes && arena_.release_pages(reinterpret_cast<char*>(free + 1), free->end()))
    dirty = 0;
  free_.insert(arena_, free, units, dirty);
}

// Gives what is beyond `units` back, if it is worth a block.
void Heap::cut_tail(HeapBlock* block, std::uint32_t units) {
  const std::uint32_t all = units_in(block->word);
  if (all < units + kMinBlockUnits) return;
  auto* tail = reinterpret_cast<HeapBlock*>(reinterpret_cast<char*>(block) + std::size_t{units} * kUnit);
  block->write(units, state_in(block->word));
  tail->write(all - units, State::kUsed);
  release_block(tail);
}

bool Heap::grow_in_place(HeapBlock* block, std::uint32_t units) {
  const std::uint32_t have = units_in(block->word);
  const std::uint32_t more = units - have;
  char* end = block->end();
  if (end == arena_.top()) {
    if (std::size_t{more} * kUnit > arena_.bytes_above_top()) return false;
    arena_.raise_top(end + std::size_t{more} * kUnit);
    block->write(units, state_in(block->word));
    in_use_bytes_ += std::size_t{more} * kUnit;
    return true;
  }
  auto* next = reinterpret_cast<FreeBlock*>(end);
  if (!is_header(&next->word) || (state_in(next->word) & State::kUsed) != 0 || units_in(next->word) < more)
    return false;
  if (!free_.remove(arena_, next)) {
    fail(HeapFault::Corrupted);
    return false;
  }
  const bool reused = next->dirty_units != 0;
  const std::uint32_t rest = units_in(next->word) - more;
  const std::uint32_t dirty = next->dirty_units;
  const std::uint32_t size = rest >= kMinBlockUnits ? units : units + rest;
  block->write(size, state_in(block->word));
  in_use_bytes_ += std::size_t{size - have} * kUnit;
  if (rest >= kMinBlockUnits)
    free_.insert(arena_, reinterpret_cast<FreeBlock*>(block->end()), rest, dirty < rest ? dirty : rest);
  else
    set_previous(arena_, reinterpret_cast<HeapBlock*>(block->end()), 0);
  if (reused)
    arena_.fill(end, block->end());
  else
    std::memset(end, 0, sizeof(FreeBlock));  // all that was written there
  return true;
}

}  // namespace heddle::runtime
