// The processors that the program sees, as opposed to the one that its worker is pinned to.
#pragma once

namespace heddle::runtime {

// Pins this process as the driver wants it, and remembers the affinity that the program is to see.
void pin_to_processor();

}  // namespace heddle::runtime
