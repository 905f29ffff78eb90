// Waiting for a process that the runtime has started, with the results of wait().
#pragma once

namespace heddle::os {

// Waits until `process` has ended; with WUNTRACED, or stopped. False: the system lets nobody wait for it (a filter may
// deny the calls), and `status` says nothing. Then nothing may be concluded from its end.
bool wait_process(int process, int& status, int flags = 0);

}  // namespace heddle::os
