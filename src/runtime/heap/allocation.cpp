// The heap's calls and its small blocks; see heap.h. The larger blocks are in blocks.cpp.
#include <cstddef>
#include <cstring>

#include "runtime/heap/guards.h"
#include "runtime/heap/heap.h"
#include "runtime/heap/layout.h"
#include "runtime/heap/size_classes.h"

namespace heddle::runtime {
namespace {

constexpr std::size_t kFirstChunkBytes = std::size_t{16} << 10;  // with the control data
constexpr std::size_t kChunkBytes = std::size_t{32} << 10;
constexpr std::size_t kRoomShare = 8;  // a block that grows by less than this share of it is given as much again

// With at least one byte for the guard (guards.h): none of the next header lies right behind such a block.
std::uint32_t units_of_bytes(std::size_t bytes) {
  const std::size_t units = (bytes + 1 + kBlockHeaderBytes + kUnit - 1) / kUnit;
  return static_cast<std::uint32_t>(units < kMinBlockUnits ? kMinBlockUnits : units);
}

// A large block ends where the header of the next one lies before a page's begin.
std::uint32_t large_units(std::size_t bytes) {
  return static_cast<std::uint32_t>(round_up(bytes + kBlockHeaderBytes, kPage) / kUnit);
}

std::uint32_t block_units(std::size_t bytes) {
  return bytes >= Heap::kLargeBytes ? large_units(bytes) : units_of_bytes(bytes);
}

// Whole words at the end that were not asked for are zero: two blocks whose contents the program has made equal are
// equal then (intercept/likeness.h). Up to 272 bytes there is one at most.
void* with_clear_end(void* memory, std::size_t asked, std::size_t usable) {
  const std::size_t begin = round_up(asked, sizeof(std::uint64_t));
  if (begin < usable) std::memset(static_cast<char*>(memory) + begin, 0, usable - begin);
  return memory;
}

// Of a pointer that is said to be that of a block in use.
HeapFault fault_of(const HeapRange& heap, const void* memory) {
  const auto place = reinterpret_cast<std::uintptr_t>(memory);
  const auto* header = static_cast<const std::uint64_t*>(memory) - 1;
  if (place % Heap::kAlignment != 0 || place < heap.begin + sizeof(Heap) || place >= heap.used_end ||
      !is_header(header) || (state_in(*header) & State::kInternal) != 0)
    return HeapFault::InvalidPointer;
  return (state_in(*header) & State::kUsed) == 0 ? HeapFault::DoubleFree : HeapFault::None;
}

}  // namespace

Heap* Heap::create(void* region, std::size_t bytes, PageRelease release) {
  static_assert(sizeof(Heap) <= 1536, "the first small blocks share the control data's page");
  static_assert(offsetof(Heap, arena_) == 0, "the arena stands at the region's begin");
  static_assert(sizeof kClassUnits == SmallBlocks::kClasses &&
                kClassUnits[SmallBlocks::kClasses - 1] == kMaxSmallUnits);
  static_assert(kMaxSmallBytes == kMaxSmallUnits * kUnit - kSmallHeaderBytes);
  auto* heap = static_cast<Heap*>(region);  // the memory is zero, and that is what the members begin with
  auto* begin = static_cast<char*>(region);
  heap->arena_.create(bytes, kFirstChunkBytes, release);
  heap->small_.use_chunk(begin + round_up(sizeof(Heap), kUnit), heap->arena_.top());
  return heap;
}

HeapRange Heap::range() const {
  return {reinterpret_cast<std::uintptr_t>(this), reinterpret_cast<std::uintptr_t>(arena_.end()),
          reinterpret_cast<std::uintptr_t>(arena_.high_water())};
}

HeapUse Heap::use() const {
  const auto all = static_cast<std::size_t>(arena_.top() - arena_.begin());
  return {in_use_bytes_, all - in_use_bytes_};
}

void Heap::forget_freed() {
  small_.forget(arena_);
  free_.forget(arena_);
  arena_.forget_above_top();
}

void* Heap::fail(HeapFault fault) {
  fault_ = fault;
  return nullptr;
}

std::uint64_t* Heap::header_of(void* memory) {
  HeapFault found = fault_of(range(), memory);
  if (found == HeapFault::None && is_overrun(memory)) found = HeapFault::Overrun;
  if (found == HeapFault::None) return static_cast<std::uint64_t*>(memory) - 1;
  return static_cast<std::uint64_t*>(fail(found));
}

void* Heap::allocate(std::size_t bytes) {
  if (bytes <= kMaxSmallBytes) {
    const unsigned size_class = class_of_bytes(bytes);
    void* const memory = allocate_small(size_class);
    if (memory == nullptr || !arena_.leaves_freed()) return memory;
    return with_clear_end(memory, bytes, kClassUnits[size_class] * kUnit - kSmallHeaderBytes);
  }
  if (bytes >= kLargeBytes) return allocate_aligned(kPage, bytes);
  HeapBlock* block = allocate_block(kAlignment, units_of_bytes(bytes));
  return block != nullptr ? block->memory() : nullptr;
}

void* Heap::allocate_aligned(std::size_t alignment, std::size_t bytes) {
  if (alignment <= kAlignment && bytes < kLargeBytes) return allocate(bytes);
  const std::size_t size = arena_.bytes();
  if (bytes >= size || alignment >= size) return nullptr;
  if (bytes >= kLargeBytes && alignment < kPage) alignment = kPage;
  HeapBlock* block = allocate_block(alignment, block_units(bytes));
  return block != nullptr ? block->memory() : nullptr;
}

void* Heap::allocate_zeroed(std::size_t bytes) {
  char* untouched = arena_.high_water();  // beyond it memory is zero already
  char* memory = static_cast<char*>(allocate(bytes));
  if (memory == nullptr) return nullptr;
  if (bytes <= kMaxSmallBytes) return std::memset(memory, 0, bytes);
  char* end = memory + bytes;
  if (memory < untouched) arena_.zero(memory, end < untouched ? end : untouched);
  return memory;
}

void Heap::release(void* memory) {
  std::uint64_t* header = header_of(memory);
  if (header == nullptr) return;
  if ((state_in(*header) & State::kSmall) == 0) return release_block(HeapBlock::of(memory));
  in_use_bytes_ -= units_in(*header) * kUnit;
  small_.give_back(arena_, header);
}

void* Heap::resize(void* memory, std::size_t bytes) {
  const std::size_t usable = usable_bytes(memory);
  if (usable == 0 || bytes >= arena_.bytes()) return nullptr;
  HeapBlock* block = HeapBlock::of(memory);
  const bool small = (state_in(block->word) & State::kSmall) != 0;
  if (bytes > usable) return small ? move(memory, usable, bytes) : grow(block, usable, bytes);
  // The room that it was given to grow it keeps.
  if (!small && bytes < usable - usable / kRoomShare) cut_tail(block, block_units(bytes));
  return memory;
}

// It moves even if there is room behind it: what still points to where it was is to be found out. One that grows by
// little gets room to go on, or to grow byte by byte would be to copy it each time.
void* Heap::grow(HeapBlock* block, std::size_t usable, std::size_t bytes) {
  const std::size_t room = bytes - usable < usable / kRoomShare ? bytes / kRoomShare : 0;
  void* moved = move(block->memory(), usable, bytes + room);
  if (moved != nullptr || fault_ != HeapFault::None) return moved;
  return grow_in_place(block, block_units(bytes)) ? block->memory() : nullptr;
}

void* Heap::move(void* memory, std::size_t usable, std::size_t bytes) {
  void* moved = allocate(bytes);
  if (moved == nullptr) return nullptr;
  std::memcpy(moved, memory, usable);
  release(memory);
  return moved;
}

std::size_t Heap::usable_bytes(void* memory) { return header_of(memory) == nullptr ? 0 : bytes_of_block(memory); }

std::size_t Heap::bytes_of_block(const void* memory) const {
  if (fault_of(range(), memory) != HeapFault::None) return 0;
  const std::uint64_t header = static_cast<const std::uint64_t*>(memory)[-1];
  const bool small = (state_in(header) & State::kSmall) != 0;
  return units_in(header) * kUnit - (small ? kSmallHeaderBytes : kBlockHeaderBytes);
}

bool is_link_of_free_block(const HeapRange& heap, const void* address) {
  for (const std::size_t word : {0, 1}) {
    const auto* const memory = static_cast<const std::uint64_t*>(address) - word;
    if (fault_of(heap, memory) != HeapFault::DoubleFree) continue;
    // As SmallBlocks::give_back() leaves them. A larger block may have become part of another one.
    const bool small = (state_in(memory[-1]) & State::kSmall) != 0;
    return small && memory[0] >> 32 == kScribble && memory[1] == (kScribble << 32 | kScribble);
  }
  return false;
}

void* Heap::allocate_small(unsigned size_class) {
  bool corrupted = false;
  void* memory = small_.take(arena_, size_class, corrupted);
  if (__builtin_expect(corrupted, 0)) return fail(HeapFault::Corrupted);
  const std::uint32_t units = kClassUnits[size_class];
  if (memory == nullptr) memory = small_.make(units);
  if (memory == nullptr && add_chunk()) memory = small_.make(units);
  if (memory != nullptr) in_use_bytes_ += units * kUnit;
  return memory;
}

// More memory for small blocks. The present chunk grows when nothing lies between it and the top.
bool Heap::add_chunk() {
  if (small_.chunk_end() == arena_.top() && arena_.bytes_above_top() >= kChunkBytes) {
    arena_.raise_top(arena_.top() + kChunkBytes);
    small_.grow_chunk(arena_.top());
    return true;
  }
  HeapBlock* chunk = allocate_block(kAlignment, kChunkBytes / kUnit);
  if (chunk == nullptr) return false;
  const std::uint32_t units = units_in(chunk->word);
  in_use_bytes_ -= units * kUnit;
  chunk->write(units, State::kUsed | State::kInternal | (state_in(chunk->word) & State::kPreviousFree));
  small_.use_chunk(static_cast<char*>(chunk->memory()), reinterpret_cast<char*>(chunk) + units * kUnit);
  return true;
}

}  // namespace heddle::runtime
