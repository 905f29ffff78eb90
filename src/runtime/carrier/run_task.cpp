// The life of a task's function, the same under both carriers.
#include <setjmp.h>
#include <stdlib.h>

#include "runtime/carrier/carrier.h"
#include "runtime/intercept/keys.h"
#include "runtime/real.h"
#include "runtime/scheduler.h"
#include "runtime/threads.h"

namespace heddle::runtime {

void call_until_thread_exit(ThreadBody body, void* argument) {
  // pthread_exit() unwinds by force up to the innermost registered buffer, and jumps there: as at the bottom of a glibc
  // thread.
  __pthread_unwind_buf_t landing;
  if (__sigsetjmp_cancel(landing.__cancel_jmp_buf, 0) == 0) {
    __pthread_register_cancel(&landing);
    body(argument);
  }
  __pthread_unregister_cancel(&landing);
}

void end_thread() {
  const TaskId self = runtime.current;
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
  call_until_thread_exit(
      [](void* data_) {
        auto* data = static_cast<TaskData*>(data_);
        data->result = data->entry(data->argument);
      },
      &runtime.tasks[task]);
  end_thread();
}

}  // namespace heddle::runtime
