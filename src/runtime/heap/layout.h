// How blocks of the heap look in memory. Private to src/runtime/heap.
//
// The word before a block's memory is its header: how many units of 16 bytes the block has (32 bits), its state (8),
// and a tag (24) over the address and all that but kGuarded. A small block has only this header. A larger block has
// another word before it: the size of the block before while that one is free.
#pragma once

#include <cstddef>
#include <cstdint>

#include "protocol/mix.h"
#include "protocol/page.h"

namespace heddle::runtime {

inline constexpr std::size_t kUnit = 16;
inline constexpr std::size_t kPage = kPageBytes;
inline constexpr std::uint32_t kNone = 0;  // of an offset
inline constexpr std::size_t kSmallHeaderBytes = 8;
inline constexpr std::size_t kBlockHeaderBytes = 16;
inline constexpr std::uint32_t kMinBlockUnits = 3;
// What the first bytes of a freed block are filled with: no address, so that a pointer read from there is not followed
// unnoticed.
inline constexpr std::uint64_t kScribble = 0xf4f4f4f4;
inline constexpr int kJunk = 0xf4;  // Fill::Junk: each byte

struct State {
  static constexpr std::uint8_t kUsed = 1;
  static constexpr std::uint8_t kSmall = 2;
  static constexpr std::uint8_t kInternal = 4;  // a chunk of small blocks
  static constexpr std::uint8_t kPreviousFree = 8;
  static constexpr std::uint8_t kGuarded = 16;  // guards.h
};

inline constexpr std::uint64_t kGuardedBit = std::uint64_t{State::kGuarded} << 32;  // set and cleared by itself

inline std::uint64_t make_header(const void* place, std::uint64_t units, std::uint8_t state) {
  const std::uint64_t contents = units | std::uint64_t{state} << 32;
  const std::uint64_t mixed = ((contents & ~kGuardedBit) ^ reinterpret_cast<std::uintptr_t>(place)) * kGoldenRatio;
  return contents | ((mixed >> 40) | 1) << 40;  // never zero, as fresh memory is
}

inline std::uint32_t units_in(std::uint64_t header) { return static_cast<std::uint32_t>(header); }
inline std::uint8_t state_in(std::uint64_t header) { return static_cast<std::uint8_t>(header >> 32); }
inline bool is_header(const std::uint64_t* place) {
  return *place == make_header(place, units_in(*place), state_in(*place));
}

constexpr std::size_t round_up(std::size_t value, std::size_t step) { return (value + step - 1) / step * step; }
inline char* page_up(char* place) {
  return reinterpret_cast<char*>(round_up(reinterpret_cast<std::uintptr_t>(place), kPage));
}
inline char* page_down(char* place) {
  return reinterpret_cast<char*>(reinterpret_cast<std::uintptr_t>(place) / kPage * kPage);
}

// A larger block.
struct HeapBlock {
  std::uint64_t previous_units;  // of the block before, if kPreviousFree
  std::uint64_t word;

  static HeapBlock* of(void* memory) {
    return reinterpret_cast<HeapBlock*>(static_cast<char*>(memory) - kBlockHeaderBytes);
  }
  void* memory() { return this + 1; }
  char* end() { return reinterpret_cast<char*>(this) + std::size_t{units_in(word)} * kUnit; }
  void write(std::uint64_t units, std::uint8_t state) { word = make_header(&word, units, state); }
};

// While it is free.
struct FreeBlock : HeapBlock {
  std::uint64_t scribble;
  std::uint32_t next, previous;  // in its bin
  std::uint32_t dirty_units;     // so much of it was written to since its pages were last given back, at most
  std::uint32_t scribble_too;
};

}  // namespace heddle::runtime
