// The thread carrier: every task is its own pthread, and a baton says who may run. For debuggers, and for code that
// must not find all tasks on one kernel thread.
#include "protocol/assert.h"
#include "runtime/calls/dispatch.h"
#include "runtime/carrier/stack_attributes.h"
#include "runtime/carrier/threads.h"
#include "runtime/os/real.h"
#include "runtime/os/system_call.h"
#include "runtime/schedule/carrier.h"
#include "runtime/world/credentials.h"
#include "runtime/world/signals/alternate_stack.h"

// Goes on further down on the same stack or on another, exactly where the fiber carrier begins (heddle_fiber_entry).
__asm__(
    ".text\n"
    ".globl heddle_run_task_at\n.hidden heddle_run_task_at\n.type heddle_run_task_at,@function\n"
    "heddle_run_task_at:\n"
    "  .cfi_startproc\n"
    "  push %rbp\n  .cfi_def_cfa_offset 16\n  .cfi_offset %rbp, -16\n"
    "  mov %rsp, %rbp\n  .cfi_def_cfa_register %rbp\n"
    "  lea -16(%rdi), %rsp\n  mov %rsi, %rdi\n  call heddle_task_main\n"
    "  mov %rbp, %rsp\n  pop %rbp\n  .cfi_def_cfa %rsp, 8\n  ret\n"
    "  .cfi_endproc\n"
    ".size heddle_run_task_at, .-heddle_run_task_at\n");
extern "C" __attribute__((visibility("hidden"))) void heddle_run_task_at(void* top, std::uint64_t task);

// void heddle_hand_over(void** save, from, to): what the ABI lets a callee keep lies on the stack while the task waits,
// as on that of a fiber (heddle_switch_stack): who looks for a state that comes again finds it there.
__asm__(
    ".text\n"
    ".globl heddle_hand_over\n.hidden heddle_hand_over\n.type heddle_hand_over,@function\n"
    "heddle_hand_over:\n"
    "  .cfi_startproc\n"
    "  push %rbp\n  push %rbx\n  push %r12\n  push %r13\n  push %r14\n  push %r15\n"
    "  .cfi_adjust_cfa_offset 48\n"
    "  mov %rsp, (%rdi)\n  sub $8, %rsp\n  .cfi_adjust_cfa_offset 8\n"
    "  mov %rsi, %rdi\n  mov %rdx, %rsi\n  call heddle_give_and_wait\n"
    "  add $56, %rsp\n  .cfi_adjust_cfa_offset -56\n"
    "  ret\n"
    "  .cfi_endproc\n"
    ".size heddle_hand_over, .-heddle_hand_over\n");
extern "C" __attribute__((visibility("hidden"))) void heddle_hand_over(void** save, void* from, void* to);

namespace heddle::runtime {
namespace {

void wait_for_baton(TaskData& data) {
  auto* baton = &data.baton;
  while (__atomic_exchange_n(baton, 0, __ATOMIC_ACQUIRE) == 0) os::futex_wait(baton, 0, false);
}

void give_baton(TaskData& data) {
  __atomic_store_n(&data.baton, 1, __ATOMIC_RELEASE);
  os::futex_wake(&data.baton, 1, false);
}

extern "C" __attribute__((used, visibility("hidden"))) void heddle_give_and_wait(TaskData* from, TaskData* to) {
  give_baton(*to);
  wait_for_baton(*from);
}

// What a new kernel thread is told.
struct Start {
  TaskId task;
  void* signal_stack;
  WantedStack stack;
  std::uintptr_t stack_low;
};

void* thread_main(void* argument) {
  const auto [task, signal_stack, stack, stack_low] = *static_cast<const Start*>(argument);
  use_signal_stack(signal_stack);
  runtime.tasks[task].outermost_landing = innermost_landing();
  os::unregister_restartable_sequences(own_handle());  // as for main: see leave_restartable_sequences()
  wait_for_baton(runtime.tasks[task]);
  follow_credentials();
  start_dispatch_in_thread();  // not before: while we are being created, our creator's calls are not seen
  heddle_run_task_at(frames_top(stack, stack_low, task_stack_top(__builtin_frame_address(0))), task);
  stop_dispatch_in_thread();
  return runtime.tasks[task].result;
}

int create(TaskId task, const pthread_attr_t* attributes) {
  TaskData& data = runtime.tasks[task];
  const StackAttributes stack;
  WantedStack wanted;
  if (!find_stack(attributes, wanted)) return EAGAIN;
  pthread_t thread = 0;
  auto* const start = static_cast<Start*>(os::allocate(sizeof(Start)));
  *start = {task, make_signal_stack(), wanted, stack.low()};
  note_stack(task, wanted, stack.low());
  const DispatchPause pause;
  const InsideScope inside;
  const int error = real::pthread_create(&thread, stack.get(), thread_main, start);
  if (error != 0) stack.give_back();
  data.thread_pointer = thread;
  data.kernel_thread = error == 0;
  inherit_credentials(data);
  return error == EAGAIN ? kNoKernelThread : error;
}

// A task whose last step another one has taken goes on beside that one, and changes nothing.
void switch_to(TaskId next) {
  HEDDLE_ASSERT(next != runtime.current && next < runtime.world->population().task_count(),
                "a switch leads to another task");
  TaskData& from = current_data();
  const model::Task& self = runtime.world->task(runtime.current);
  const bool ended = self.ended;
  runtime.current = next;
  if (ended) return give_baton(runtime.tasks[next]);
  heddle_hand_over(&from.stack_pointer, &from, &runtime.tasks[next]);
  if (self.ended) return;
  follow_credentials();
  if (__builtin_expect(execution_signal_stacks.kernel_follows_tasks, 0)) follow_alternate_stack();
}

void release(TaskId task) { give_baton(runtime.tasks[task]); }

// The main kernel thread must stay as long as the process does.
void leave(TaskId task) {
  if (task != 0) return;
  for (;;) os::futex_wait(&runtime.tasks[0].park, 0, false);
}

void reap(TaskId task) {
  TaskData& data = runtime.tasks[task];
  if (!data.kernel_thread) return;
  data.kernel_thread = false;
  const DispatchPause pause;
  const InsideScope inside;  // what libc frees there by an allocator of the program's is no step of a task
  real::pthread_join(data.thread_pointer, nullptr);
}

bool prepare(unsigned) { return true; }

}  // namespace

const Carrier kThreadCarrier = {create, switch_to, release, leave, reap, prepare};

const Carrier& carrier() { return config.carrier == CarrierKind::Fiber ? kFiberCarrier : kThreadCarrier; }

}  // namespace heddle::runtime
