// The heap's calls and its small blocks; see heap.h. The larger blocks are in blocks.cpp.
#include <cstring>

#include "runtime/heap/heap.h"
#include "runtime/heap/layout.h"

namespace heddle::runtime {
namespace {

constexpr std::size_t kFirstChunkBytes = std::size_t{16} << 10;  // with the control data
constexpr std::size_t kChunkBytes = std::size_t{32} << 10;
constexpr std::uint32_t kMaxSmallUnits = 64;
constexpr std::size_t kRoomShare = 8;  // a block that grows by less than this share of it is given as much again

// Every small size up to 272 bytes with its header, then four to a doubling.
constexpr std::uint8_t kClassUnits[] = {2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13,
                                        14, 15, 16, 17, 20, 24, 28, 32, 40, 48, 56, 64};

struct ClassTable {
  std::uint8_t of_units[kMaxSmallUnits + 1] = {};
  constexpr ClassTable() {
    std::uint8_t size_class = 0;
    for (std::uint32_t units = 0; units <= kMaxSmallUnits; ++units) {
      if (units > kClassUnits[size_class]) ++size_class;
      of_units[units] = size_class;
    }
  }
};
constexpr ClassTable kClasses;

constexpr unsigned class_of_bytes(std::size_t bytes) {
  return kClasses.of_units[(bytes + kSmallHeaderBytes + kUnit - 1) / kUnit];
}

std::uint32_t units_of_bytes(std::size_t bytes) {
  const std::size_t units = (bytes + kBlockHeaderBytes + kUnit - 1) / kUnit;
  return static_cast<std::uint32_t>(units < kMinBlockUnits ? kMinBlockUnits : units);
}

// A large block ends where the header of the next one lies before a page's begin.
std::uint32_t large_units(std::size_t bytes) {
  return static_cast<std::uint32_t>(round_up(bytes + kBlockHeaderBytes, kPage) / kUnit);
}

std::uint32_t block_units(std::size_t bytes) {
  return bytes >= Heap::kLargeBytes ? large_units(bytes) : units_of_bytes(bytes);
}

}  // namespace

Heap* Heap::create(void* region, std::size_t bytes, PageRelease release) {
  static_assert(sizeof(Heap) <= 1536, "the first small blocks share the control data's page");
  static_assert(sizeof kClassUnits == kSmallClasses && kClassUnits[kSmallClasses - 1] == kMaxSmallUnits);
  static_assert(kMaxSmallBytes == kMaxSmallUnits * kUnit - kSmallHeaderBytes);
  auto* heap = static_cast<Heap*>(region);  // the memory is zero, and that is what the members begin with
  auto* begin = static_cast<char*>(region);
  heap->end_ = begin + bytes / kPage * kPage;
  heap->top_ = begin + kFirstChunkBytes;
  heap->high_water_ = heap->top_;
  heap->bump_ = begin + round_up(sizeof(Heap), kUnit) + kSmallHeaderBytes;
  heap->bump_end_ = heap->top_;
  heap->release_ = release;
  return heap;
}

char* Heap::address(std::uint64_t offset_units) const {
  return reinterpret_cast<char*>(const_cast<Heap*>(this)) + offset_units * kUnit;
}

std::uint32_t Heap::offset_of(const void* place) const {
  return static_cast<std::uint32_t>((static_cast<const char*>(place) - reinterpret_cast<const char*>(this)) / kUnit);
}

HeapRange Heap::range() const {
  return {reinterpret_cast<std::uintptr_t>(this), reinterpret_cast<std::uintptr_t>(end_),
          reinterpret_cast<std::uintptr_t>(high_water_)};
}

HeapUse Heap::use() const {
  const auto all = static_cast<std::size_t>(top_ - reinterpret_cast<const char*>(this));
  return {in_use_bytes_, all - in_use_bytes_};
}

void* Heap::fail(HeapFault fault) {
  fault_ = fault;
  return nullptr;
}

HeapFault Heap::fault_of(const void* memory) const {
  const auto* place = static_cast<const char*>(memory);
  const auto* header = reinterpret_cast<const std::uint64_t*>(place) - 1;
  if (reinterpret_cast<std::uintptr_t>(memory) % kAlignment != 0 || place < address(0) + sizeof(Heap) ||
      place >= high_water_ || !is_header(header) || (state_in(*header) & State::kInternal) != 0)
    return HeapFault::InvalidPointer;
  return (state_in(*header) & State::kUsed) == 0 ? HeapFault::DoubleFree : HeapFault::None;
}

std::uint64_t* Heap::header_of(void* memory) {
  const HeapFault found = fault_of(memory);
  if (found == HeapFault::None) return static_cast<std::uint64_t*>(memory) - 1;
  return static_cast<std::uint64_t*>(fail(found));
}

// Of [begin, end), which was used before and is given out again.
void Heap::fill(void* begin, const void* end) {
  if (__builtin_expect(fill_ == Fill::Left, 1)) return;
  const auto bytes = static_cast<std::size_t>(static_cast<const char*>(end) - static_cast<char*>(begin));
  std::memset(begin, fill_ == Fill::Zero ? 0 : kJunk, bytes);
}

void* Heap::allocate(std::size_t bytes) {
  if (bytes <= kMaxSmallBytes) return allocate_small(class_of_bytes(bytes));
  if (bytes >= kLargeBytes) return allocate_aligned(kPage, bytes);
  Block* block = allocate_block(units_of_bytes(bytes));
  return block != nullptr ? block->memory() : nullptr;
}

void* Heap::allocate_aligned(std::size_t alignment, std::size_t bytes) {
  if (alignment <= kAlignment && bytes < kLargeBytes) return allocate(bytes);
  const auto size = static_cast<std::size_t>(end_ - address(0));
  if (bytes >= size || alignment >= size) return nullptr;
  if (bytes >= kLargeBytes && alignment < kPage) alignment = kPage;
  Block* block = allocate_aligned_block(alignment, block_units(bytes));
  return block != nullptr ? block->memory() : nullptr;
}

void* Heap::allocate_zeroed(std::size_t bytes) {
  char* untouched = high_water_;  // beyond it memory is zero already
  char* memory = static_cast<char*>(allocate(bytes));
  if (memory == nullptr) return nullptr;
  if (bytes <= kMaxSmallBytes) return std::memset(memory, 0, bytes);
  char* end = memory + bytes;
  if (memory < untouched) zero(memory, end < untouched ? end : untouched);
  return memory;
}

void Heap::release(void* memory) {
  std::uint64_t* header = header_of(memory);
  if (header == nullptr) return;
  if ((state_in(*header) & State::kSmall) != 0)
    release_small(header);
  else
    release_block(Block::of(memory));
}

void* Heap::resize(void* memory, std::size_t bytes) {
  const std::size_t usable = usable_bytes(memory);
  if (usable == 0 || bytes >= static_cast<std::size_t>(end_ - address(0))) return nullptr;
  Block* block = Block::of(memory);
  const bool small = (state_in(block->word) & State::kSmall) != 0;
  if (bytes > usable) return small ? move(memory, usable, bytes) : grow(block, usable, bytes);
  // The room that it was given to grow it keeps.
  if (!small && bytes < usable - usable / kRoomShare) cut_tail(block, block_units(bytes));
  return memory;
}

// It moves even if there is room behind it: what still points to where it was is to be found out. One that grows by
// little gets room to go on, or to grow byte by byte would be to copy it each time.
void* Heap::grow(Block* block, std::size_t usable, std::size_t bytes) {
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
  if (fault_of(memory) != HeapFault::None) return 0;
  const std::uint64_t header = static_cast<const std::uint64_t*>(memory)[-1];
  const bool small = (state_in(header) & State::kSmall) != 0;
  return units_in(header) * kUnit - (small ? kSmallHeaderBytes : kBlockHeaderBytes);
}

void* Heap::allocate_small(unsigned size_class) {
  const std::uint32_t units = kClassUnits[size_class];
  const std::uint32_t offset = small_[size_class];
  if (offset == kNone) return fresh_small(units);
  auto* memory = address(offset);
  auto* header = reinterpret_cast<std::uint64_t*>(memory - kSmallHeaderBytes);
  // The link lies in memory that the program may have written to after it freed the block.
  if (memory >= top_ || *header != make_header(header, units, State::kSmall)) return fail(HeapFault::Corrupted);
  std::uint64_t link = 0;
  std::memcpy(&link, memory, sizeof link);
  small_[size_class] = static_cast<std::uint32_t>(link);
  *header = make_header(header, units, State::kSmall | State::kUsed);
  in_use_bytes_ += units * kUnit;
  fill(memory, memory + units * kUnit - kSmallHeaderBytes);
  return memory;
}

void* Heap::fresh_small(std::uint32_t units) {
  if (static_cast<std::size_t>(bump_end_ - bump_) < units * kUnit && !add_chunk()) return nullptr;
  auto* header = reinterpret_cast<std::uint64_t*>(bump_);
  *header = make_header(header, units, State::kSmall | State::kUsed);
  bump_ += units * kUnit;
  in_use_bytes_ += units * kUnit;
  return header + 1;
}

// More memory for small blocks. The present chunk grows when nothing lies between it and the top.
bool Heap::add_chunk() {
  if (bump_end_ == top_ && static_cast<std::size_t>(end_ - top_) >= kChunkBytes) {
    raise_top(top_ + kChunkBytes);
    bump_end_ = top_;
    return true;
  }
  Block* chunk = allocate_block(kChunkBytes / kUnit);
  if (chunk == nullptr) return false;
  const std::uint32_t units = units_in(chunk->word);
  in_use_bytes_ -= units * kUnit;
  chunk->write(units, State::kUsed | State::kInternal | (state_in(chunk->word) & State::kPreviousFree));
  bump_ = static_cast<char*>(chunk->memory()) + kSmallHeaderBytes;
  bump_end_ = reinterpret_cast<char*>(chunk) + units * kUnit;
  return true;
}

void Heap::release_small(std::uint64_t* header) {
  const std::uint32_t units = units_in(*header);
  std::uint32_t& list = small_[kClasses.of_units[units]];
  *header = make_header(header, units, State::kSmall);
  const std::uint64_t link[2] = {kScribble << 32 | list, kScribble << 32 | kScribble};
  std::memcpy(header + 1, link, sizeof link);
  list = offset_of(header + 1);
  in_use_bytes_ -= units * kUnit;
}

}  // namespace heddle::runtime
