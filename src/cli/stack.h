// Makes the stack large enough for libdw and other libraries that recurse deeply, where the user's limit is small.
#pragma once

#include <functional>

namespace heddle::cli {

// Runs the work, and returns what it returns: on a thread with a large stack where the limit (`ulimit -s`) is small.
// The limit stays, so that the programs that are started have it.
int with_enough_stack(const std::function<int()>& work);

}  // namespace heddle::cli
