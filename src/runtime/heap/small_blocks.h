// The small blocks of a heap. All sizes come from one bump pointer, so that those of a small program share a page;
// freed ones wait in a list of their size's class, last in, first out. Behind the last block of a chunk stands an end
// mark: a header whose state is kSmall and kInternal, and which says how many units are left behind it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/heap/arena.h"

namespace heddle::runtime {

class SmallBlocks {
 public:
  static constexpr unsigned kClasses = 24;  // of sizes; see size_classes.h

  // What new ones are made of, from now on.
  void use_chunk(char* begin, char* end);
  void grow_chunk(char* end);
  const char* chunk_end() const { return chunk_end_; }

  // The block that was last freed of this class. Null: there is none, or the list makes no sense (`corrupted`).
  void* take(const Arena& arena, unsigned size_class, bool& corrupted);
  // A new one; null: there is no room in the chunk.
  void* make(std::uint32_t units);
  // Those that were freed are lost, and what new ones are made of is zero.
  void forget(Arena& arena);
  void give_back(const Arena& arena, std::uint64_t* header);

 private:
  void mark_end();

  char* bump_;
  char* chunk_end_;
  std::uint32_t freed_[kClasses];  // offsets
};

}  // namespace heddle::runtime
