// An entry of the frontier (frontier.h): a schedule that waits to be run, by its last deviation.
#pragma once

#include <cstdint>

#include "search/deviations.h"

namespace heddle {

// Claimed: StateReduction::Claim::Free. Watch: run for StateReduction::watch() only. Revisit: was run before; only its
// successors that cost something are wanted.
enum class Purpose : std::uint32_t { Search, Claimed, Watch, Revisit };

// It is a node only once it is handed out.
struct FrontierEntry {
  Deviations::Id node = Deviations::kNone;  // without that deviation; of a revisit, the node itself
  std::uint32_t step = 0;
  std::uint32_t task : 14 = 0;  // there are at most 16384
  std::uint32_t purpose_bits : 2 = 0;
  std::uint32_t variant : 16 = 0;
  Choice choice() const { return {static_cast<TaskId>(task), static_cast<Variant>(variant)}; }
  Purpose purpose() const { return static_cast<Purpose>(purpose_bits); }

  static FrontierEntry of(Deviations::Id node, std::uint32_t step, Choice choice, Purpose purpose) {
    return {node, step, choice.task & 0x3fffu, static_cast<std::uint32_t>(purpose) & 3u, choice.variant};
  }
};
static_assert(sizeof(FrontierEntry) == 12);

}  // namespace heddle
