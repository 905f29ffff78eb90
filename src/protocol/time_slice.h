// The result of a Yield that the program did not ask for: its thread has run for very long without a step, and lets the
// others run, as at the end of a time slice.
#pragma once

#include <cstdint>

namespace heddle {

inline constexpr std::int32_t kEndOfSlice = 1;

}  // namespace heddle
