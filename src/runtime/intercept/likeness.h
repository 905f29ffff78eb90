// Which threads are started alike: by the same thread, with the same function, argument and attributes. As long as
// nothing tells them apart, it makes no difference which of them does what, and a search need look at one of the cases
// only (src/analysis/alike_tasks.h).
#pragma once

#include <cstdint>

#include "protocol/operations.h"

namespace heddle::runtime {

// Sets TaskData::like of a task that has just been made. `mask`: of signals, which it starts with.
//
// A thread that has been joined is like no later one: whoever made both can tell them apart.
//
// The argument is compared as a pointer. An exception is what libstdc++ starts a std::thread with: a block that belongs
// to the new thread alone, so its contents count: what is called, and with which arguments.
void find_like(TaskId task, std::uint64_t mask);

}  // namespace heddle::runtime
