// The life of a task's function, the same under both carriers.
#include <setjmp.h>
#include <stdlib.h>

#include "runtime/carrier/interrupts.h"
#include "runtime/carrier/threads.h"
#include "runtime/os/real.h"
#include "runtime/schedule/carrier.h"
#include "runtime/schedule/scheduler.h"
#include "runtime/state/up_calls.h"
#include "runtime/world/signals/alternate_stack.h"
#include "runtime/world/signals/deliver.h"

namespace heddle::runtime {

namespace {

// glibc keeps the landings of a thread as a list from the innermost outwards; this is the link (priv.data.prev there).
void*& next_outwards(__pthread_unwind_buf_t* landing) { return landing->__pad[0]; }

// As glibc keeps the result of a C11 thread.
void* int_result(const TaskData& data) {
  const auto function = reinterpret_cast<int (*)(void*)>(reinterpret_cast<void (*)()>(data.entry));
  return reinterpret_cast<void*>(static_cast<std::uintptr_t>(function(data.argument)));
}

}  // namespace

void* innermost_landing() {
  __pthread_unwind_buf_t probe;
  __pthread_register_cancel(&probe);
  __pthread_unregister_cancel(&probe);
  return next_outwards(&probe);
}

// Only now, not when the thread starts: that would write to a page of thread storage in every execution.
void prepare_thread_exit() {
  TaskData& data = current_data();
  auto* landing = static_cast<__pthread_unwind_buf_t*>(data.landing);
  auto* at = static_cast<__pthread_unwind_buf_t*>(innermost_landing());
  if (at == data.outermost_landing) return __pthread_register_cancel(landing);
  // The program has landings of its own (pthread_cleanup_push in C): ours goes behind the last of them.
  next_outwards(landing) = data.outermost_landing;
  while (next_outwards(at) != data.outermost_landing) at = static_cast<__pthread_unwind_buf_t*>(next_outwards(at));
  next_outwards(at) = landing;
}

void call_until_thread_exit(ThreadBody body, void* argument) {
  // pthread_exit() unwinds by force up to a landing and jumps there; ours is where glibc's own would be.
  __pthread_unwind_buf_t landing{};
  TaskData& data = current_data();
  data.landing = &landing;
  if (__sigsetjmp_cancel(landing.__cancel_jmp_buf, 0) == 0)
    body(argument);
  else
    __pthread_unregister_cancel(&landing);
}

void end_thread() {
  const TaskId self = runtime.current;
  __asm__ volatile("emms");  // what it left in the registers of x87 and MMX is not for those who go on
  begin_unwinding();
  if (real::call_tls_destructors != nullptr) real::call_tls_destructors();
  run_key_destructors();
  model::Operation operation;
  operation.kind = OperationKind::ThreadExit;
  operation.object = runtime.world->task(self).thread;
  perform_last(operation);
  if (!runtime.world->task(self).ended) exit(0);  // it was the last thread
  carrier().leave(self);
}

void run_task(TaskId task) {
  if (__builtin_expect(execution_signal_stacks.kernel_follows_tasks, 0)) follow_alternate_stack();
  call_until_thread_exit(
      [](void* data_) {
        auto* data = static_cast<TaskData*>(data_);
        if (runtime.world->task(runtime.current).interrupts != 0) deliver_signals();
        data->result = data->gives_int ? int_result(*data) : data->entry(data->argument);
      },
      &runtime.tasks[task]);
  end_thread();
}

}  // namespace heddle::runtime

// What both carriers call, each in its own way, on the task's stack. Returns under the thread carrier only.
extern "C" __attribute__((used, noinline, visibility("hidden"))) void heddle_task_main(std::uint64_t task) {
  heddle::runtime::run_task(static_cast<heddle::TaskId>(task));
}
