// Cancellation. glibc's own is never used. The model keeps the request and a thread's cancel state and type; the
// unwinding is that of pthread_exit(). glibc's inner calls look at glibc's own flags and find nothing.
#include <pthread.h>

#include "model/interrupts.h"
#include "runtime/carrier/interrupts.h"
#include "runtime/carrier/threads.h"
#include "runtime/intercept/intercept.h"

using namespace heddle;
using namespace heddle::runtime;

namespace heddle::runtime {
namespace {

using model::Cancellation;

int replace_cancellation(std::uint8_t bit, bool on) {
  const std::uint8_t before = runtime.world->task(runtime.current).cancellation;
  model::change_cancellation(*runtime.world, runtime.current, on ? bit : std::uint8_t{0}, on ? std::uint8_t{0} : bit);
  follow_cancellation();
  return before & bit;
}

}  // namespace
}  // namespace heddle::runtime

HEDDLE_EXPORT int pthread_cancel(pthread_t thread) {
  if (!controlled()) return real::pthread_cancel(thread);
  const TaskId task = known_task_of(thread, HEDDLE_CALLER);
  if (task == kNoTask) return ESRCH;
  perform(OperationKind::ThreadCancel, heddle::runtime::runtime.world->task(task).thread, HEDDLE_CALLER);
  follow_cancellation();
  return 0;
}

HEDDLE_EXPORT int pthread_setcancelstate(int state, int* old) {
  if (!controlled()) return real::pthread_setcancelstate(state, old);
  if (state != PTHREAD_CANCEL_ENABLE && state != PTHREAD_CANCEL_DISABLE) return EINVAL;
  const int before = replace_cancellation(Cancellation::Disabled, state == PTHREAD_CANCEL_DISABLE);
  if (old != nullptr) *old = before != 0 ? PTHREAD_CANCEL_DISABLE : PTHREAD_CANCEL_ENABLE;
  return 0;
}

HEDDLE_EXPORT int pthread_setcanceltype(int type, int* old) {
  if (!controlled()) return real::pthread_setcanceltype(type, old);
  if (type != PTHREAD_CANCEL_DEFERRED && type != PTHREAD_CANCEL_ASYNCHRONOUS) return EINVAL;
  const int before = replace_cancellation(Cancellation::Asynchronous, type == PTHREAD_CANCEL_ASYNCHRONOUS);
  if (old != nullptr) *old = before != 0 ? PTHREAD_CANCEL_ASYNCHRONOUS : PTHREAD_CANCEL_DEFERRED;
  return 0;
}

// A loop that does nothing else waits for its cancellation: from the second time on it yields.
HEDDLE_EXPORT void pthread_testcancel() {
  if (!controlled()) return real::pthread_testcancel();
  const model::Task& task = heddle::runtime::runtime.world->task(current_task());
  const OperationKind last = task.pending.kind;
  const bool again = last == OperationKind::CancelPoint || (last == OperationKind::Yield && task.pending.signal != 0);
  model::Operation point = operation(OperationKind::CancelPoint, task.thread, HEDDLE_CALLER);
  point.interruptible = kCancellable;
  if (again) {
    point.kind = OperationKind::Yield;
    point.object = kNoObject;
    point.signal = 1;  // so that the next one knows it
  }
  perform(point);
}
