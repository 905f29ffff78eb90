// Reads of the processor's time stamp counter in the program and its libraries are replaced by jumps to code of ours,
// which answers by the virtual clock: a tick is a nanosecond. So a sleep takes ticks, and a replay reads the same.
#pragma once

namespace heddle::runtime {

// In all files that are loaded: at the start, before the program's own code runs, and once more at the branching point.
void replace_time_stamps();

}  // namespace heddle::runtime
