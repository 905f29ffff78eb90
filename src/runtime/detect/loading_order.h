// What dlopen() orders. The loader has a lock, so whoever finds a library loaded sees what its constructors wrote. But
// dlopen() must be reached by a jump, so its end is seen late: at the first access or step of the task after it. The
// end is recognized by the stack slot of the call's return address: either the task is above it now, or another call
// has overwritten it. What the task has done by then comes before every later end of a dlopen(), and before every
// dlopen() that is called later.
#pragma once

#include <cstdint>

#include "protocol/operations.h"

namespace heddle::runtime {

struct ExecutionLoading {
  std::uint32_t tasks = 0;  // between a dlopen() and their first access or step behind it
};
extern ExecutionLoading execution_loading;

// The running task is about to call dlopen() at `site`; at `place` on its stack lies where that returns to.
void begin_loading(void* const* place, Site site);
bool is_loading(TaskId task);

// Before an access of the running task, or what publishes what it has done.
void end_loading_if_over();
inline void behind_loading() {
  if (__builtin_expect(execution_loading.tasks != 0, 0)) end_loading_if_over();
}
// The same at a step: how many accesses may follow until it is looked again whether it waits in a loop (plain_loop.h).
std::uint32_t accesses_until_check(TaskId task);
// Before an access of the running task, which looks at each while it loads. True: that is no reason to suspect a loop.
bool is_checked_for_loading();

}  // namespace heddle::runtime
