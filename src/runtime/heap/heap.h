// A heap over one given region of memory: no system call on the normal path, few pages, and the same addresses for the
// same sequence of calls. Everything it knows lies inside the region, so whatever undoes the program's memory (fork, a
// snapshot) undoes the heap with it.
//
//   begin                                         top              high water                         end
//   | control, first small blocks | blocks, chunks |  free, used once |  never touched: zero            |
//
// - Small blocks (up to kMaxSmallBytes) have a header of 8 bytes and come from one bump pointer, whatever their size:
//   those of a small program share one page with the control data. Freed ones wait in a list of their class, last in,
//   first out. The bump pointer moves through chunks.
// - Larger blocks and chunks are cut from the free blocks, found through two levels of bins, or from the top. They have
//   a header of 16 bytes and join their free neighbours. From kLargeBytes on their memory begins at a page.
// - A header holds a tag over its address and contents. So a wrong pointer, a block freed twice and an overwritten
//   header are noticed.
//
// - A block that nobody had before is zero. The caller chooses what a freed block holds (set_fill).
//
// Not thread safe by itself: the caller holds lock_word(). Invariants: no two free blocks are neighbours; the block
// before `top` is in use; all memory from high_water on is zero.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "runtime/heap/arena.h"
#include "runtime/heap/bins.h"
#include "runtime/heap/small_blocks.h"

namespace heddle::runtime {

enum class HeapFault : std::uint8_t {
  None,
  InvalidPointer,  // not the start of a block, or its header was overwritten
  DoubleFree,
  Corrupted,          // a free block or a neighbour's header was overwritten
  Overrun,            // the block was written past its end (guards.h)
  OverrunOrUnderrun,  // the word behind the block was overwritten: from there, or from the block behind it
};

struct HeapRange {
  std::uintptr_t begin = 0;
  std::uintptr_t reserved_end = 0;
  std::uintptr_t used_end = 0;  // nothing from here on was ever touched: it is zero
};

struct HeapUse {
  std::size_t in_use_bytes = 0;  // with headers
  std::size_t free_bytes = 0;    // given out before, or cut off, and not in use
};

class Heap {
 public:
  static constexpr std::size_t kMaxSmallBytes = 1016;
  static constexpr std::size_t kLargeBytes = std::size_t{256} << 10;
  static constexpr std::size_t kReleaseBytes = Arena::kReleaseBytes;
  static constexpr std::size_t kAlignment = 16;

  // `region`: page aligned, zero, at least 64 KiB and at most 64 GiB. `release` may be null.
  static Heap* create(void* region, std::size_t bytes, PageRelease release);

  // Null: no room (or a fault, see fault()). `alignment` is a power of two.
  void* allocate(std::size_t bytes);
  void* allocate_zeroed(std::size_t bytes);
  void* allocate_aligned(std::size_t alignment, std::size_t bytes);
  void release(void* memory);
  // Null: no room, or a fault; the block is as it was. A block that grows moves, wherever it lies, if it can.
  void* resize(void* memory, std::size_t bytes);
  std::size_t usable_bytes(void* memory);
  // The same, but 0, and no fault, for all that is no block in use.
  std::size_t bytes_of_block(const void* memory) const;

  // What blocks hold that were freed and are given out again; Fill::Left to begin with.
  void set_fill(Fill fill) { arena_.set_fill(fill); }
  // Nobody else has had the heap so far: what is free is zero from now on, and small blocks that were freed are lost.
  void forget_freed();

  // What the last calls have found wrong; it stays. The heap is not to be used any more then.
  HeapFault fault() const { return fault_; }
  HeapRange range() const;
  HeapUse use() const;
  std::atomic<std::uint64_t>& lock_word() { return lock_; }

 private:
  // Of a block in use; null and a fault for any other pointer, or if the block was written past its end.
  std::uint64_t* header_of(void* memory);
  void* fail(HeapFault fault);

  void* allocate_small(unsigned size_class);
  void* grow(HeapBlock* block, std::size_t usable, std::size_t bytes);
  void* move(void* memory, std::size_t usable, std::size_t bytes);
  bool add_chunk();

  HeapBlock* allocate_block(std::size_t alignment, std::uint32_t units);
  HeapBlock* take(FreeBlock* found, std::size_t alignment, std::uint32_t units);
  void release_block(HeapBlock* block);
  void cut_tail(HeapBlock* block, std::uint32_t units);
  bool grow_in_place(HeapBlock* block, std::uint32_t units);

  Arena arena_;
  std::atomic<std::uint64_t> lock_;
  std::size_t in_use_bytes_;
  SmallBlocks small_;
  HeapFault fault_;
  Bins free_;
};

// Is it one of the first two words of a small block that is free, and are these as its heap has left them?
bool is_link_of_free_block(const HeapRange& heap, const void* address);

}  // namespace heddle::runtime
