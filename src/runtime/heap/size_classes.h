// The sizes of small blocks. Private to src/runtime/heap.
#pragma once

#include "runtime/heap/layout.h"

namespace heddle::runtime {

inline constexpr std::uint32_t kMaxSmallUnits = 64;

// Every small size up to 272 bytes with its header, then four to a doubling.
inline constexpr std::uint8_t kClassUnits[] = {2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13,
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
inline constexpr ClassTable kSizeClasses;

constexpr unsigned class_of_bytes(std::size_t bytes) {
  return kSizeClasses.of_units[(bytes + kSmallHeaderBytes + kUnit - 1) / kUnit];
}

}  // namespace heddle::runtime
