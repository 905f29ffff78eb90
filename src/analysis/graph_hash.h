// The hash of a happens-before graph, or of a part of one; happens_before.h says what it covers. Sums of hashes are
// hashes.
#pragma once

#include <cstdint>

namespace heddle {

struct GraphHash {
  std::uint64_t a = 0, b = 0;
  GraphHash& operator+=(const GraphHash& other) {
    a += other.a;
    b += other.b;
    return *this;
  }
  friend bool operator==(const GraphHash&, const GraphHash&) = default;
};

}  // namespace heddle
