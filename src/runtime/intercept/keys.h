// Thread-specific data: glibc keeps the values (they follow the thread pointer); the runtime runs the destructors.
#pragma once

namespace heddle::runtime {

// For the running task, at its end: as POSIX says, again and again while values are left, PTHREAD_DESTRUCTOR_ITERATIONS
// times.
void run_key_destructors();

}  // namespace heddle::runtime
