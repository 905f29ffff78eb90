// The monitors, which watch executions from inside the target. One line each: its name, its word (for --monitor), its
// help. Each has a file in src/runtime/detect/monitor/ (the race detector's is detect/races.cpp).
//
// To add one: a line here, and that file.
#pragma once

#include <cstdint>

namespace heddle {

// Races: asked for by --races, not by --monitor.
// clang-format off
#define HEDDLE_MONITORS(ONE)                                                                       \
  ONE(Races, "races", "data races")                                                                \
  ONE(Accesses, "accesses", "how many memory accesses of instrumented code each thread has made")
// clang-format on

#define HEDDLE_ENUMERATOR(name, word, says) name,
enum class MonitorKind : std::uint8_t { HEDDLE_MONITORS(HEDDLE_ENUMERATOR) Count };
#undef HEDDLE_ENUMERATOR

// A set of them.
using MonitorSet = std::uint32_t;
constexpr MonitorSet set_of(MonitorKind kind) { return MonitorSet{1} << static_cast<unsigned>(kind); }
constexpr bool has(MonitorSet set, MonitorKind kind) { return (set & set_of(kind)) != 0; }
static_assert(static_cast<unsigned>(MonitorKind::Count) <= 32);

}  // namespace heddle
