// The alternate signal stack that each task has: sigaltstack().
//
// The kernel keeps one for each of its threads, but under the fiber carrier all tasks run on the same thread. So each
// task keeps what the program has set (TaskData::alternate_stack). Where faults come to the runtime first (dispatch.h),
// the kernel always has the runtime's stack, which no snapshot protects, and the runtime gives the program's handlers
// their stacks (deliver.h, program_faults.h). Elsewhere the kernel has the alternate stack of the running task. A task
// without one gets the runtime's, so that an overflow of its stack can be reported. The exception is a program that
// takes faults on alternate stacks itself: natively its handler would not be called for such a task.
#pragma once

#include <signal.h>

#include <cstdint>

namespace heddle::runtime {

// As the system call, for the running task, whose stack pointer is given: 0 or -errno.
long change_alternate_stack(const stack_t* wanted, stack_t* old, std::uintptr_t stack_pointer);
// As the program sees it: with SS_ONSTACK, if the stack pointer lies there.
stack_t told_alternate_stack(std::uintptr_t stack_pointer);
// Where frames of a handler with SA_ONSTACK begin, and where they must end. Nothing where there is no such stack, or
// the stack pointer lies there already.
struct FreeStack {
  std::uintptr_t top = 0, low = 0;
};
FreeStack free_alternate_stack(std::uintptr_t stack_pointer);

// SS_AUTODISARM: while a handler runs there, the task has none.
void disarm_alternate_stack();
// A handler returns: the task has what stands in the handler's frame, as the kernel does it.
void return_alternate_stack(const stack_t& in_frame);

// Before executions: what the program has set without our seeing it is the running task's.
void adopt_alternate_stack();
// The program has set an action for a fault, or may have.
void check_fault_actions();
// Does it take one on an alternate stack? (Not asked where they come to us first.)
bool takes_faults_elsewhere();

struct ExecutionSignalStacks {
  bool kernel_follows_tasks = false;  // it has another one for each
  bool faults_elsewhere = false;
};
extern ExecutionSignalStacks execution_signal_stacks;

// After another task has got the processor, where the kernel follows tasks.
void follow_alternate_stack();

// ---- the runtime's own: without one an overflow could not be told
// For a kernel thread of its own (thread carrier). Made by who creates the thread, since address space is reserved by
// one at a time; used by the thread itself.
void* make_signal_stack();
void use_signal_stack(void* stack);
// For the kernel thread that is there first; and again, when the kernel has another one for it.
void make_first_signal_stack();
void give_alternate_signal_stack();

}  // namespace heddle::runtime
