// See queue_notices.h.
#include "runtime/system_calls/queue_notices.h"

#include <errno.h>
#include <pthread.h>

#include "model/table.h"
#include "runtime/calls/dispatch.h"
#include "runtime/calls/files.h"
#include "runtime/os/system_call.h"
#include "runtime/ring/recorder.h"
#include "runtime/schedule/scheduler.h"
#include "runtime/snapshot/user_memory.h"
#include "runtime/state/runtime.h"
#include "runtime/state/up_calls.h"
#include "runtime/system_calls/attempt.h"
#include "runtime/world/forked_child.h"
#include "runtime/world/signals/deliver.h"
#include "runtime/world/signals/post.h"

namespace heddle::runtime {
namespace {

constexpr int kLastSignal = 64;

struct Notice {
  ObjectId queue;
  sigevent event;
};

struct ExecutionQueueNotices {
  model::Table<Notice> all;
  std::uint32_t count = 0;
};
constinit ExecutionQueueNotices execution_queue_notices{};

long tell_kernel(long queue, const sigevent* event) {
  return os::system_call(SYS_mq_notify, queue, reinterpret_cast<long>(event));
}

// With no notice at all: the kernel only keeps that this process is registered, until a message comes.
long register_in_kernel(long queue) {
  sigevent silent{};
  silent.sigev_notify = SIGEV_NONE;
  return tell_kernel(queue, &silent);
}

bool is_registered(long queue) {
  if (register_in_kernel(queue) == -EBUSY) return true;
  tell_kernel(queue, nullptr);
  return false;
}

std::uint32_t place_of(ObjectId queue) {
  std::uint32_t place = 0;
  while (place < execution_queue_notices.count && execution_queue_notices.all[place].queue != queue) ++place;
  return place;
}

// The kernel hands a message to who waits for one, without a notice.
bool somebody_receives(ObjectId queue) {
  for (std::uint32_t id = 0; id < runtime.world->population().task_count(); ++id) {
    const model::Task& task = runtime.world->task(static_cast<TaskId>(id));
    if (!task.ended && task.published && task.pending.kind == OperationKind::DescriptorRead &&
        task.pending.object == queue && id != runtime.current)
      return true;
  }
  return false;
}

// As glibc: a detached thread, with the attributes that were given, which blocks all signals.
void start_thread(const sigevent& event, Site site) {
  pthread_attr_t attributes;
  std::size_t stack_bytes = 0;
  pthread_attr_init(&attributes);
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  if (event.sigev_notify_attributes != nullptr &&
      pthread_attr_getstacksize(event.sigev_notify_attributes, &stack_bytes) == 0)
    pthread_attr_setstacksize(&attributes, stack_bytes);
  const auto function = reinterpret_cast<void* (*)(void*)>(reinterpret_cast<void (*)()>(event.sigev_notify_function));
  TaskId made = kNoTask;
  if (make_thread(&attributes, {function, event.sigev_value.sival_ptr, false}, runtime.current, ~std::uint64_t{0}, site,
                  made) != 0)
    note("the thread of mq_notify could not be made: there are too many threads");
}

bool is_valid(const sigevent& event) {
  if (event.sigev_notify == SIGEV_SIGNAL) return event.sigev_signo >= 0 && event.sigev_signo <= kLastSignal;
  return event.sigev_notify == SIGEV_NONE || event.sigev_notify == SIGEV_THREAD;
}

}  // namespace

long ask_for_notice(long queue, const sigevent* event, Site site) {
  if (event != nullptr && !can_read(event)) return -EFAULT;
  if (event != nullptr && !is_valid(*event)) return -EINVAL;
  if (kind_of(queue) != DescriptorKind::MessageQueue) return -EBADF;
  judge_effect({SYS_mq_notify, {queue}});
  take_step_on(on_descriptor(OperationKind::DescriptorControl, queue, site));
  if (event == nullptr) return tell_kernel(queue, nullptr);
  const long result = register_in_kernel(queue);
  if (result != 0) return result;
  const ObjectId object = object_of(queue, site);
  const std::uint32_t place = place_of(object);
  if (place == execution_queue_notices.count)
    execution_queue_notices.all.ensure(execution_queue_notices.count++, os::allocate);
  execution_queue_notices.all[place] = {object, *event};
  return 0;
}

QueueNotice::QueueNotice(long queue, bool sends, Site site) : place_(execution_queue_notices.count), queue_(queue) {
  if (!sends || execution_queue_notices.count == 0) return;
  const ObjectId object = object_of(queue, site);
  const std::uint32_t place = place_of(object);
  if (place != execution_queue_notices.count && is_registered(queue)) place_ = place;
}

void QueueNotice::sent() {
  if (place_ == execution_queue_notices.count || is_registered(queue_)) return;
  taken_ = !somebody_receives(execution_queue_notices.all[place_].queue);
  if (!taken_) register_in_kernel(queue_);
}

void QueueNotice::give(Site site) {
  if (!taken_) return;
  const sigevent event = execution_queue_notices.all[place_].event;
  if (event.sigev_notify == SIGEV_THREAD) start_thread(event, site);
  if (event.sigev_notify == SIGEV_SIGNAL && event.sigev_signo != 0)
    send_signal(kNoTask, own_signal(event.sigev_signo, SI_MESGQ, event.sigev_value), site);
}

}  // namespace heddle::runtime
