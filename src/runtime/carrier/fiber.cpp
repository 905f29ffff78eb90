// The fiber carrier: all tasks on one kernel thread.
//
// Each task gets a real pthread, which reports where its stack and its thread storage are and then parks for ever with
// all signals blocked. The one running kernel thread takes both over: it loads the stack pointer, the callee-saved
// registers, mxcsr, the x87 control word and the FS base. Nothing of the parked thread's own frames is touched, since a
// task's frames lie below them. After fork() no parked thread exists in the child, but its memory does, and that is all
// that is needed: so the zygote parks threads in advance (prepare()) and its children use them.
#include <limits.h>
#include <sys/auxv.h>
#include <sys/mman.h>

#include "protocol/assert.h"
#include "runtime/calls/dispatch.h"
#include "runtime/carrier/stack_attributes.h"
#include "runtime/carrier/threads.h"
#include "runtime/os/real.h"
#include "runtime/os/system_call.h"
#include "runtime/schedule/carrier.h"
#include "runtime/snapshot/snapshot.h"
#include "runtime/state/address_space.h"
#include "runtime/state/thread_pointer.h"
#include "runtime/state/up_calls.h"
#include "runtime/world/signals/alternate_stack.h"

// void heddle_switch_stack(void** save, void* stack): pushes what the ABI lets a callee keep, swaps stacks, pops.
__asm__(
    ".text\n"
    ".globl heddle_switch_stack\n.hidden heddle_switch_stack\n.type heddle_switch_stack,@function\n"
    "heddle_switch_stack:\n"
    "  .cfi_startproc\n"
    "  push %rbp\n  push %rbx\n  push %r12\n  push %r13\n  push %r14\n  push %r15\n"
    "  sub $8, %rsp\n  stmxcsr (%rsp)\n  fnstcw 4(%rsp)\n"
    "  mov %rsp, (%rdi)\n  mov %rsi, %rsp\n"
    "  ldmxcsr (%rsp)\n  fldcw 4(%rsp)\n  add $8, %rsp\n"
    "  pop %r15\n  pop %r14\n  pop %r13\n  pop %r12\n  pop %rbx\n  pop %rbp\n"
    "  ret\n"
    "  .cfi_endproc\n"
    ".size heddle_switch_stack, .-heddle_switch_stack\n"
    // The first frame of a fiber; r12 holds the task. An undefined return address ends every unwinding here.
    ".globl heddle_fiber_entry\n.hidden heddle_fiber_entry\n.type heddle_fiber_entry,@function\n"
    "heddle_fiber_entry:\n"
    "  .cfi_startproc\n  .cfi_undefined rip\n"
    "  xor %ebp, %ebp\n  mov %r12, %rdi\n  call heddle_task_main\n  ud2\n"
    "  .cfi_endproc\n"
    ".size heddle_fiber_entry, .-heddle_fiber_entry\n");
extern "C" __attribute__((visibility("hidden"))) void heddle_switch_stack(void** save, void* stack);
extern "C" __attribute__((visibility("hidden"))) void heddle_fiber_entry();

namespace heddle::runtime {
namespace {

// What a parked thread and its creator say to each other.
struct Park {
  pthread_t thread = 0;
  void* stack_top = nullptr;     // where a task's frames may begin
  std::uintptr_t stack_low = 0;  // where its stack ends; 0: not known
  std::uint64_t thread_pointer = 0;
  void* outermost_landing = nullptr;
  std::atomic<std::uint32_t> state{0};  // 0 starting, 1 parked, 2 may end
  int process = 0;                      // in which the kernel thread lives
};

struct ExecutionParks {
  Park* all = nullptr;  // kMaxTasks entries, handed out in order
  unsigned made = 0;
  unsigned pool_size = 0;  // parks[0 .. pool_size) are ready and have stacks of the default size
  unsigned pool_used = 0;
};
constinit ExecutionParks execution_parks{};

void* park(void* argument) {
  auto* own = static_cast<Park*>(argument);
  os::block_all_signals();
  own->thread_pointer = static_cast<std::uint64_t>(own_handle());
  own->outermost_landing = innermost_landing();
  own->stack_top = task_stack_top(__builtin_frame_address(0));
  own->state.store(1, std::memory_order_release);
  os::futex_wake(&own->state, 1, false);
  while (own->state.load(std::memory_order_acquire) != 2) os::futex_wait(&own->state, 1, false);
  return nullptr;
}

// Makes and parks a thread, with a stack of the default size in our region.
int make_park(Park*& made) {
  if (execution_parks.all == nullptr)
    execution_parks.all = static_cast<Park*>(os::reserve(sizeof(Park) * model::kMaxTasks));
  if (execution_parks.all == nullptr || execution_parks.made == model::kMaxTasks) return EAGAIN;
  made = &execution_parks.all[execution_parks.made];
  const StackAttributes stack;
  made->stack_low = stack.low();
  const DispatchPause pause;
  const InsideScope inside;  // how many are made in advance is not to move the program's blocks
  if (const int error = real::pthread_create(&made->thread, stack.get(), park, made); error != 0) {
    stack.give_back();
    return error;
  }
  while (made->state.load(std::memory_order_acquire) == 0) os::futex_wait(&made->state, 0, false);
  made->process = os::process_id();
  ++execution_parks.made;
  return 0;
}

// The frame that heddle_switch_stack() pops when the fiber is entered for the first time.
void* initial_stack(void* top, TaskId task) {
  auto* slot = static_cast<std::uint64_t*>(top) - 2;
  *--slot = reinterpret_cast<std::uint64_t>(&heddle_fiber_entry);
  *--slot = 0;     // rbp
  *--slot = 0;     // rbx
  *--slot = task;  // r12
  *--slot = 0;     // r13
  *--slot = 0;     // r14
  *--slot = 0;     // r15
  --slot;
  std::uint32_t mxcsr = 0;
  std::uint16_t control_word = 0;
  __asm__ volatile("stmxcsr %0\n\tfnstcw %1" : "=m"(mxcsr), "=m"(control_word));
  *slot = mxcsr | std::uint64_t{control_word} << 32;
  return slot;
}

int create(TaskId task, const pthread_attr_t* attributes) {
  TaskData& data = runtime.tasks[task];
  Park* lender = nullptr;
  if (execution_parks.pool_used == execution_parks.pool_size) need_more_tasks();
  if (execution_parks.pool_used < execution_parks.pool_size) {
    lender = &execution_parks.all[execution_parks.pool_used++];
  } else if (const int error = make_park(lender); error != 0) {
    return error == EAGAIN && execution_parks.made < model::kMaxTasks ? kNoKernelThread : error;
  }
  // Of a stack that the program gave, or one larger than the parked thread's, only its thread storage is borrowed.
  WantedStack wanted;
  if (!find_stack(attributes, wanted)) return EAGAIN;
  void* const top = frames_top(wanted, lender->stack_low, lender->stack_top);
  data.park = lender;
  data.frames_top = is_task_stack(reinterpret_cast<std::uintptr_t>(top)) ? top : lender->stack_top;
  note_stack(task, wanted, lender->stack_low);
  data.thread_pointer = lender->thread_pointer;
  data.outermost_landing = lender->outermost_landing;
  data.stack_pointer = initial_stack(top, task);
  return 0;
}

void switch_to(TaskId next) {
  HEDDLE_ASSERT(next != runtime.current && next < runtime.world->population().task_count(),
                "a switch leads to another task");
  TaskData& from = current_data();
  TaskData& to = runtime.tasks[next];
  runtime.current = next;
  load_thread_pointer(to.thread_pointer);
  lose_thread_pointer_for_test();
  heddle_switch_stack(&from.stack_pointer, to.stack_pointer);
  if (__builtin_expect(execution_signal_stacks.kernel_follows_tasks, 0)) follow_alternate_stack();
}

void release(TaskId) {}

void leave(TaskId) { __builtin_trap(); }  // nobody switches to a task that has ended

void reap(TaskId task) {
  auto* lender = static_cast<Park*>(runtime.tasks[task].park);
  if (lender == nullptr || on_snapshot() || lender->process != os::process_id())
    return;  // its kernel thread stayed behind in the zygote
  lender->state.store(2, std::memory_order_release);
  os::futex_wake(&lender->state, 1, false);
  const DispatchPause pause;
  const InsideScope inside;  // what libc frees there by an allocator of the program's is no step of a task
  real::pthread_join(lender->thread, nullptr);
  runtime.tasks[task].park = nullptr;
}

bool prepare(unsigned tasks) {
  // Those that were made before the search began (--start-at) have their tasks.
  if (execution_parks.pool_size == 0) execution_parks.pool_size = execution_parks.pool_used = execution_parks.made;
  // Only a pool without foreign entries in between can grow: parks made inside an execution belong to that execution.
  Park* made = nullptr;
  while (execution_parks.pool_size < tasks && execution_parks.made == execution_parks.pool_size && make_park(made) == 0)
    ++execution_parks.pool_size;
  return execution_parks.pool_size >= tasks;
}

}  // namespace

bool live_stack(TaskId task, std::uintptr_t stack_pointer, LiveStack& live) {
  // Thread storage ends with glibc's own record of the thread, which begins at the thread pointer.
  constexpr std::uintptr_t kThreadRecord = 2048;
  constexpr std::size_t kLargestStack = std::size_t{1} << 30;  // what is larger is not looked at
  const auto* lender = static_cast<const Park*>(runtime.tasks[task].park);
  live.begin = stack_pointer;
  live.storage_begin = live.storage_end = 0;
  if (config.carrier == CarrierKind::Thread && task != 0) {
    live.end = runtime.tasks[task].thread_pointer + kThreadRecord;
    return runtime.tasks[task].stack_size == 0 && is_task_stack(stack_pointer) && stack_pointer < live.end &&
           live.end - stack_pointer <= default_stack_size();
  }
  if (lender == nullptr) {  // main; its arguments and environment end the stack
    const std::uintptr_t name = getauxval(AT_EXECFN);
    live.end = name & ~std::uintptr_t{63};
    return stack_pointer < live.end && live.end - stack_pointer < kLargestStack;
  }
  const auto top = reinterpret_cast<std::uintptr_t>(runtime.tasks[task].frames_top);
  live.end = lender->thread_pointer + kThreadRecord;
  if (runtime.tasks[task].frames_top != lender->stack_top) {  // of what lies in between nothing was ever used
    live.storage_begin = reinterpret_cast<std::uintptr_t>(lender->stack_top);
    live.storage_end = live.end;
    live.end = top;
  }
  const bool borrowed = top <= reinterpret_cast<std::uintptr_t>(lender->stack_top) && top > lender->stack_low;
  const std::size_t most = borrowed ? default_stack_size() : kLargestStack;
  return is_task_stack(stack_pointer) && stack_pointer < top && top - stack_pointer <= most;
}

const Carrier kFiberCarrier = {create, switch_to, release, leave, reap, prepare};

}  // namespace heddle::runtime
