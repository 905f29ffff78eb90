// File offsets across executions: if one execution moves them, the next must find them as they were.
#pragma once

#include <cstddef>

namespace heddle::runtime {

// At the branching point: remembers the offsets of the regular files that are open. What stdio holds
// has been written out.
void note_descriptors();
// Regular files that were open then: is it one of them whose position is known? And where they were.
bool has_known_position(long descriptor);
void restore_positions();
// Before each execution: cuts the captured output back to what was there at the branching point and moves the offsets
// back.
void prepare_descriptors();

}  // namespace heddle::runtime
