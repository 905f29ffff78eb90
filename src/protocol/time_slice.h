// Why a thread yields though the program did not ask for it: the result of a Yield.
#pragma once

#include <cstdint>

namespace heddle {

// The program did not ask for it: its thread has run for very long without a step, and lets the others run, as at the
// end of a time slice.
inline constexpr std::int32_t kEndOfSlice = 1;
// One of the first in a loop that may end by itself: fairness does not count it (runtime/schedule/yields.h).
inline constexpr std::int32_t kPatientYield = 2;
inline constexpr unsigned kPatientYields = 4;  // so many while nobody else runs; libstdc++ yields as often
// So often a loop that reads memory may yield, or read the same again, before that counts as a yield.
inline constexpr unsigned kPatienceInLoops = 24;
// It stopped behind a release (kStop), and now goes on. No yield: fairness does not count it.
inline constexpr std::int32_t kStoppedBehind = 3;

}  // namespace heddle
