// What dlopen() orders. The loader has a lock, so what a library's constructors write is there for whoever finds the
// library loaded. But dlopen() must be jumped to, so its end is not seen when it comes: at the first access or step of
// the task behind it, which the place tells where the call's return address lies on the stack: another call has
// written over it. What the task has done by then comes before every later end of a dlopen(), and before every dlopen()
// that is called later.
#pragma once

#include <cstdint>

#include "protocol/operations.h"

namespace heddle::runtime {

// Of tasks between a dlopen() and their first access or step behind it, so many.
extern std::uint32_t tasks_loading;

// The running task is about to call dlopen(); at `return_address` on its stack lies where that returns to.
void begin_loading(void* const* return_address);
bool is_loading(TaskId task);
// An access or a step of the running task. True: its dlopen() is over now.
bool end_loading_if_over();

}  // namespace heddle::runtime
