// Carriers bring tasks onto the processor; the scheduler says which. Two of them, chosen once at the start:
//   fiber   all tasks run on one kernel thread; a switch swaps registers and the FS base. Each task but the main one
//   borrows
//           stack and thread-local storage from a parked pthread, so thread_local, errno, pthread_self and unwinding
//           just work.
//   thread  every task is its own pthread; a baton is handed over by futex.
// The same plan gives the same execution on both.
#pragma once

#include "runtime/state/runtime.h"

namespace heddle::runtime {

// What Carrier::create() gives where the system allows no more threads: some of those that there are may be Heddle's.
inline constexpr int kNoKernelThread = -1;

struct Carrier {
  // Makes the stack and thread of a task that has been added to the model, without running it. Returns 0, an errno
  // value (EAGAIN), or kNoKernelThread; sets TaskData::thread_pointer.
  int (*create)(TaskId task, const pthread_attr_t* attributes);
  // Leaves the running task and goes on with `next`. Returns when somebody switches back; for a task that has ended, at
  // once (thread) or never (fiber).
  void (*switch_to)(TaskId next);
  // `task`, which does not run, has taken its last step: lets its kernel thread end, if it has one.
  void (*release)(TaskId task);
  // The end of a task's own code. Returns only if its kernel thread may return, and so end.
  void (*leave)(TaskId task);
  // `task` has ended and been joined (or was detached): give back what can be given back.
  void (*reap)(TaskId task);
  // Before an execution: gets ready so many tasks, as it is likely to need them. False: there can't be so many.
  bool (*prepare)(unsigned tasks);
};

extern const Carrier kFiberCarrier, kThreadCarrier;
const Carrier& carrier();

// Runs the task's function and everything that belongs to the end of a thread, up to and including its ThreadExit
// operation. Called on the task's own stack. Returns only under the thread carrier.
void run_task(TaskId task);
// Where a task's frames begin, below those of the thread's start function, whose frame is at `frame`. The same under
// both carriers, so that what a task has on its stack has the same address.
inline void* task_stack_top(const void* frame) {
  // Little, so that a task's first frames share a page with them.
  constexpr std::uintptr_t kOwnFrames = 1024;
  return reinterpret_cast<void*>((reinterpret_cast<std::uintptr_t>(frame) - kOwnFrames) & ~std::uintptr_t{63});
}

// A stack of `bytes` (plus a guard page below) in the runtime's own region: the n-th call gives the same address in
// every process, so that executions agree on addresses. Null when there is no room.
void* allocate_stack(std::size_t bytes);
// Maps a stack larger than the default without giving it out: the next one, or the one below `above`, if that is not 0.
// Where it begins; 0: there is no room. `size`: a multiple of a page.
std::uintptr_t map_large_stack(std::uintptr_t above, std::size_t size);
std::size_t default_stack_size();

// What of a task's stack and thread storage is alive while its stack pointer is this. False: it runs on a stack of the
// program's own making, which nobody knows the end of; with the thread carrier, on one that is not as large as usual.
struct LiveStack {
  std::uintptr_t begin = 0, end = 0;
  std::uintptr_t storage_begin = 0, storage_end = 0;  // thread storage, where it does not follow at once
};
bool live_stack(TaskId task, std::uintptr_t stack_pointer, LiveStack& live);

}  // namespace heddle::runtime
