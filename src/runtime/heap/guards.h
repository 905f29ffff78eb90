// Guards: of the bytes of a block that the program has not asked for, the first eight and the last eight hold known
// values. A write past the end is noticed when the block is freed or resized, or at the end of an execution. Guards
// take no memory of their own and change no address.
//
// A small block whose every byte was asked for has no guard. Behind it lies the header of the next one, or the end mark
// of the chunk (small_blocks.h): a write past the end breaks its tag. That is looked at when that block is freed, and
// at the end of an execution.
//
// All of this is for whoever holds the heap's lock. `memory`: a block in use.
#pragma once

#include <cstddef>
#include <cstring>

#include "runtime/heap/heap.h"
#include "runtime/heap/layout.h"

namespace heddle::runtime {

namespace guards {

inline constexpr std::size_t kWord = sizeof(std::uint64_t);
inline constexpr std::uint64_t kGuard = 0xfafafafafafafafa;
// The last byte says how many bytes were not asked for. No text ends in it, and no small number.
inline constexpr unsigned kCount = 0x80;
inline constexpr unsigned kMaxShort = 0x7e;
inline constexpr unsigned kLong = 0xff;  // the two bytes before it say it
inline constexpr std::size_t kMaxLong = UINT16_MAX;

inline std::uint64_t load(const void* from) {
  std::uint64_t word = 0;
  std::memcpy(&word, from, sizeof word);
  return word;
}

inline void store(void* to, std::uint64_t word) { std::memcpy(to, &word, sizeof word); }

// The last word of a block of which more than seven bytes were not asked for.
inline std::uint64_t last_word(std::size_t spare) {
  if (spare <= kMaxShort) return kGuard << 8 >> 8 | std::uint64_t{kCount | spare} << 56;
  return kGuard << 24 >> 24 | spare << 40 | std::uint64_t{kLong} << 56;
}

// How many bytes its last word says that were not asked for; it may be any number if the word was overwritten.
inline std::size_t spare_in(std::uint64_t word) {
  const auto last = static_cast<unsigned>(word >> 56);
  return last == kLong ? word >> 40 & kMaxLong : last & ~kCount;
}

struct Block {
  std::uint64_t* header;
  char* memory;
  std::size_t usable;

  explicit Block(const void* place)
      : header(static_cast<std::uint64_t*>(const_cast<void*>(place)) - 1),
        memory(reinterpret_cast<char*>(header + 1)),
        usable(units_in(*header) * kUnit - (is_small() ? kSmallHeaderBytes : kBlockHeaderBytes)) {}

  bool is_small() const { return (state_in(*header) & State::kSmall) != 0; }
  bool is_guarded() const { return (*header & kGuardedBit) != 0; }
  bool is_next_header_whole() const {
    return !is_small() || is_header(header + units_in(*header) * (kUnit / sizeof *header));
  }
  char* last() const { return memory + usable - kWord; }
  // As guard() has left it, if so many bytes were not asked for?
  bool holds_guard(std::size_t spare) const {
    const std::uint64_t word = load(last());
    if (spare == 0 || spare > usable) return false;
    if (spare < kWord) return ((word ^ last_word(spare)) >> (kWord - spare) * 8) == 0;
    return word == last_word(spare) && (spare == kWord || load(memory + usable - spare) == kGuard);
  }
  bool is_broken() const { return is_guarded() && !holds_guard(spare_in(load(last()))); }
};

}  // namespace guards

// The program has asked for so many bytes. `memory` may be null. Returns it.
inline void* guard(void* memory, std::size_t bytes) {
  if (memory == nullptr) return memory;
  const guards::Block block(memory);
  const std::size_t spare = block.usable - bytes;
  if (spare == 0 || spare > guards::kMaxLong) return memory;
  const std::uint64_t word = guards::last_word(spare);
  if (spare < guards::kWord) {
    const std::uint64_t asked = ~std::uint64_t{0} >> spare * 8;
    guards::store(block.last(), (guards::load(block.last()) & asked) | (word & ~asked));
  } else {
    if (spare != guards::kWord) guards::store(block.memory + bytes, guards::kGuard);
    guards::store(block.last(), word);
  }
  *block.header |= kGuardedBit;
  return memory;
}

inline bool is_overrun(const void* memory) { return guards::Block(memory).is_broken(); }

// The program may write to all of the block from now on. Returns how many bytes it had asked for; all, if nobody knows.
std::size_t unguard(void* memory);
// Of a block of which so many bytes were asked for: so many bytes behind them have been written to, at least.
std::size_t overrun_bytes(const void* memory, std::size_t bytes);

struct OverrunBlock {
  HeapFault fault = HeapFault::None;
  const void* memory = nullptr;
};
// The first one. Only the first kMaxBlocksChecked blocks are looked at: this is done at the end of each execution.
inline constexpr unsigned kMaxBlocksChecked = 1u << 14;
OverrunBlock find_overrun(const Heap& heap);

}  // namespace heddle::runtime
