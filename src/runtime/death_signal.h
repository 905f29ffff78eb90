// The signal that a process gets when its parent dies. Heddle's own processes have SIGKILL there, so that none is left
// behind.
#pragma once

namespace heddle::runtime {

// The kernel forgets it when the process begins to act for another user.
void keep_death_signal();

}  // namespace heddle::runtime
