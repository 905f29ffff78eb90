// The part of the record that a level of the snapshot keeps (snapshot/level.h).
#pragma once

#include <cstdint>

namespace heddle::runtime {

// What an execution that goes on from a level keeps of the record.
struct LevelMarks {
  std::uint32_t steps = 0;  // the level stands at the decision of this step
  std::uint32_t changes = 0;
  std::uint32_t objects = 0;
  std::uint16_t tasks = 0;
  long output_size = 0;
};

inline constexpr int kNoBookmark = -1;

}  // namespace heddle::runtime
