// A chart told in few lines, for a page that fits a screen: what one thread does without an interruption is one line.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "report/document.h"

namespace heddle {

// At most this many lines, and those that say what is left out. A chart of fewer is told as a whole.
inline constexpr std::size_t kMostLinesOfStory = 24;

// `decisive`: the number of the step that decides. `named`: those of steps that the page speaks of, this one among
// them; each begins a line. Where there are too many lines, those stay that are around preemptions, racing accesses,
// timeouts and the decisive step, and the last ones.
Story story_of(const Chart& chart, std::optional<std::uint32_t> decisive, const std::vector<std::uint32_t>& named = {});

}  // namespace heddle
