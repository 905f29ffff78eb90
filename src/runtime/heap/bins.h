// The free blocks of a heap by their sizes: a first level for each power of two, each split into eight. A search for a
// block first tries the bin of that size (only a few entries, since they may be too small), then the next bin that is
// not empty: all of its blocks fit. The links lie in freed memory, which the program may have overwritten.
#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/heap/arena.h"

namespace heddle::runtime {

struct HeapBlock;
struct FreeBlock;

class Bins {
 public:
  // One that so many units fit into, aligned. Null: there is none, or links make no sense (`corrupted`).
  FreeBlock* find(const Arena& arena, std::size_t alignment, std::uint32_t units, bool& corrupted) const;
  // The block before it is in use: free neighbours are always joined. `dirty`: how many of its units were written to.
  void insert(const Arena& arena, FreeBlock* block, std::uint64_t units, std::uint32_t dirty);
  // All of them are as if nobody had had them.
  void forget(Arena& arena);
  // Takes a free block out of its bin; false: its links make no sense.
  bool remove(const Arena& arena, FreeBlock* block);

 private:
  static constexpr unsigned kFirstLevels = 30;
  static constexpr unsigned kSecondLevels = 8;

  FreeBlock* find_in_bin(const Arena& arena, unsigned first, unsigned second, std::size_t alignment,
                         std::uint32_t units, bool& corrupted) const;

  std::uint32_t first_level_;  // bit: this level has a free block
  std::uint8_t second_level_[kFirstLevels];
  std::uint32_t bins_[kFirstLevels][kSecondLevels];
};

// Tells the block at `next` how large the free block before it is; 0: it is in use.
void set_previous(const Arena& arena, HeapBlock* next, std::uint64_t units);
// How many units before a block's memory is aligned, if it begins at `place` or later; never so few that they could not
// be a block.
std::uint64_t gap_units(const char* place, std::size_t alignment);

}  // namespace heddle::runtime
