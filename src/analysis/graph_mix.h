// How hashes of a happens-before graph are mixed.
#pragma once

#include "analysis/graph_hash.h"

namespace heddle {

// The past of what follows nothing. From the digits of e.
inline constexpr GraphHash kNoPast{0xa4093822299f31d1ull, 0xb7e151628aed2a6bull};

// Both halves of the product, folded: fast, and every bit of the result depends on all of both.
[[gnu::always_inline]] inline std::uint64_t folded(std::uint64_t x, std::uint64_t y) {
  const auto product = static_cast<unsigned __int128>(x) * y;
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

}  // namespace heddle
