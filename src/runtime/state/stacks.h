// Call stacks of tasks, recorded at their operations when the plan asks for them; and the check that a call comes from
// a task.
#pragma once

#include <ucontext.h>

#include "model/world.h"
#include "runtime/state/runtime.h"

namespace heddle::runtime {

// Finds the unwinder that the program has loaded; loads it if there is none and `load` says so. Not for signal
// handlers.
void prepare_stacks(bool load);
bool has_unwinder();
// Records in TaskData the stack of `task`, which runs; frames above `innermost` (the runtime's own) are left out.
void capture_stack(TaskId task, Site innermost);
// Of each frame of that stack: the stack pointer at its call, and what its function may know its variables by.
struct FrameRegisters {
  std::uint64_t stack_pointer;
  std::uint64_t frame_pointer;
};
FrameRegisters* frame_registers(const TaskData& data);
// The same for a signal frame: the stack that the interrupted code had.
void capture_stack_from_signal(TaskId task, Site program_counter);
// The same where a call that returns to `site` has ended the execution: the innermost place is an instruction's, here
// as for a fault. Returns it.
Site capture_stack_of_call(TaskId task, Site site);

// A fault in the unwinder, which follows what the program has left on its stack: true, and the interrupted code goes on
// where the capture ends, with the frames that were found before. False: it is none.
bool leave_unwinder(greg_t* registers);

// The present stack without the runtime's own frames in front, into `to`; how many frames those are. None where there
// is no unwinder.
unsigned capture_program_stack(Site* to, unsigned capacity);

inline std::uint64_t thread_pointer() {
  std::uint64_t pointer;
  __asm__("mov %%fs:0, %0" : "=r"(pointer));
  return pointer;
}

// The task whose thread storage the kernel knows for the thread that runs now: under the fiber carrier that is main's,
// whatever task runs. The search may begin in another one (--start-at).
inline TaskId kernel_thread() { return config.carrier == CarrierKind::Fiber ? TaskId{0} : runtime.current; }

// A thread that Heddle did not create (glibc makes some for timers and asynchronous I/O) must not enter the model.
[[gnu::always_inline]] inline bool is_foreign_thread() {
  return thread_pointer() != runtime.tasks[runtime.current].thread_pointer;
}
// Ends the execution without a verdict, naming the call.
[[noreturn]] void refuse_foreign_thread(const model::Operation& operation);

}  // namespace heddle::runtime
