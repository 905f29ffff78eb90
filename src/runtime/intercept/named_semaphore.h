// Named semaphores; see named_semaphore.cpp.
#pragma once

namespace heddle::runtime {

// The program is about to fork for the first time: the memory of named semaphores becomes the child's, too. Call it
// before before_fork_with_shared_objects().
void before_fork_with_semaphores();

}  // namespace heddle::runtime
