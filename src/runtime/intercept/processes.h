// Processes that the program starts; see fork.cpp.
#pragma once

namespace heddle::runtime {

// Before the program runs: to learn of every fork.
void watch_forks();

}  // namespace heddle::runtime
