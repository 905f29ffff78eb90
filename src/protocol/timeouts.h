// When a wait with a deadline may end by its time.
#pragma once

#include <cstdint>

namespace heddle {

enum class Timeouts : std::uint8_t {
  Early,    // at any time, as on a slow machine
  Late,     // when nothing else can go on; then any of them
  Ordered,  // when nothing else can go on, and no other deadline comes clearly before
};

// Deadlines that are so close (in nanoseconds) count as one: each clock read takes virtual time, so that which of them
// is first says nothing about a real machine.
inline constexpr std::int64_t kSameDeadline = 1'000'000;

}  // namespace heddle
