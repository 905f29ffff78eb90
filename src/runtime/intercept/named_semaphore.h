// Named semaphores; see named_semaphore.cpp.
#pragma once

namespace heddle::runtime {

// The program is about to fork: a named semaphore that is open would be shared with the child, which the model can't
// do. Ends the execution then, and remembers the fork for those that are opened later.
void before_fork_with_semaphores();

}  // namespace heddle::runtime
