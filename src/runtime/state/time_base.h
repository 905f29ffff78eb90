// Where the model's clock begins.
#pragma once

#include "protocol/operations.h"

namespace heddle::runtime {

// No clock that the program reads shows such a number, and no program counts up to it: so a word on a stack that is a
// little more than this is a time that a frame of ours keeps (schedule/loops.cpp).
inline constexpr Nanoseconds kTimeBase = 0x0d3a'92c7'5f4b'0e83;

}  // namespace heddle::runtime
