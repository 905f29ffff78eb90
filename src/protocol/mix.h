// Mixing of 64-bit numbers. The random choices of the target and those that the driver draws come from here.
#pragma once

#include <cstdint>

namespace heddle {

// 2^64 divided by the golden ratio: the product's upper bits depend on all of a factor's.
inline constexpr std::uint64_t kGoldenRatio = 0x9e3779b97f4a7c15;

// The output function of SplitMix64 (Steele, Lea and Flood, OOPSLA 2014): a bijection in which every bit depends on
// all. The generator's state goes forward by kGoldenRatio.
constexpr std::uint64_t scrambled(std::uint64_t value) {
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9;
  value = (value ^ (value >> 27)) * 0x94d049bb133111eb;
  return value ^ (value >> 31);
}

}  // namespace heddle
