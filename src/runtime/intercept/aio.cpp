// POSIX asynchronous I/O on files. glibc has helper threads for it; here each request is a task without a stack: its
// first step makes the transfer, its next one sends the signal that was asked for. As in glibc, the requests for one
// descriptor are carried out one after the other.
//
// Files that could make a request wait (pipes, sockets) are refused, with a note.
#include <aio.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include "runtime/calls/dispatch.h"
#include "runtime/calls/files.h"
#include "runtime/calls/waiting.h"
#include "runtime/detect/race_orders.h"
#include "runtime/intercept/calls.h"
#include "runtime/intercept/intercept.h"
#include "runtime/intercept/start_mark.h"
#include "runtime/os/system_call.h"
#include "runtime/ring/recorder.h"
#include "runtime/schedule/scheduler.h"
#include "runtime/state/up_calls.h"
#include "runtime/world/signals/masks.h"
#include "runtime/world/signals/post.h"
#include "runtime/world/signals/timers.h"

using namespace heddle;
using namespace heddle::runtime;

namespace heddle::runtime {
namespace {

constexpr int kDataSync = 3;  // glibc's, beside LIO_READ, LIO_WRITE and LIO_NOP; lio_listio() takes them, too
constexpr int kSync = 4;
constexpr std::uint32_t kNoGroup = ~std::uint32_t{0};
constexpr int kMaxDelta = 20;  // AIO_PRIO_DELTA_MAX

enum class Stage : std::uint8_t { Free, Waits, Transfers, Notifies };

struct Request {
  aiocb* block;
  TaskId task;
  Stage stage;
  int descriptor;
  int operation;
  std::uint32_t group;  // of lio_listio
  std::uint64_t number;
  sigevent notice;
  Site site;
};

// Requests of one lio_listio, which tells when all are done.
struct Group {
  std::uint32_t left;
  sigevent notice;
};

struct ExecutionRequests {
  model::Table<Request> requests;
  std::uint32_t request_count = 0;
  std::uint64_t requests_made = 0;
  model::Table<Group> groups;
  std::uint32_t group_count = 0;
};
constinit ExecutionRequests execution_requests{};

bool is_done(const aiocb* block) { return block->__error_code != EINPROGRESS; }

void finish_block(aiocb* block, long result) {
  block->__return_value = result < 0 ? -1 : result;
  block->__error_code = result < 0 ? static_cast<int>(-result) : 0;
}

// The system call of a request; -1: there is none.
long call_of(int operation) {
  switch (operation) {
    case LIO_READ:
      return SYS_pread64;
    case LIO_WRITE:
      return SYS_pwrite64;
    case kDataSync:
      return SYS_fdatasync;
    case kSync:
      return SYS_fsync;
    default:
      return -1;
  }
}

void transfer(const Request& request) {
  SystemCall call;
  call.number = call_of(request.operation);
  if (call.number < 0) return finish_block(request.block, -EINVAL);
  call.arguments[0] = request.descriptor;
  if (request.operation == LIO_READ || request.operation == LIO_WRITE) {
    call.arguments[1] = reinterpret_cast<long>(const_cast<void*>(request.block->aio_buf));
    call.arguments[2] = static_cast<long>(request.block->aio_nbytes);
    call.arguments[3] = request.block->aio_offset;
  }
  finish_block(request.block, make_system_call(call));
}

// The next of those for the same descriptor.
void start_next(int descriptor) {
  Request* next = nullptr;
  for (std::uint32_t i = 0; i < execution_requests.request_count; ++i) {
    Request& other = execution_requests.requests[i];
    if (other.descriptor != descriptor || other.stage == Stage::Free) continue;
    if (other.stage == Stage::Transfers) return;
    if (other.stage == Stage::Waits && (next == nullptr || other.number < next->number)) next = &other;
  }
  if (next == nullptr) return;
  next->stage = Stage::Transfers;
  arm_timer(next->task, runtime.world->clock().now(), 0, kNoTask, false);
}

void start_notice_thread(const Request& request) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  const auto function =
      reinterpret_cast<void* (*)(void*)>(reinterpret_cast<void (*)()>(request.notice.sigev_notify_function));
  const ThreadEntry entry{function, request.notice.sigev_value.sival_ptr, false};
  TaskId made = kNoTask;
  if (make_thread(&attributes, entry, request.task, 0, request.site, made) != 0)
    note("a thread that asynchronous I/O was to start could not be made: there are too many threads");
}

// What the request, or the last one of its group, is to tell. The entry is free where there is nothing more to do.
void notify(Request& request) {
  request.stage = Stage::Free;
  switch (request.notice.sigev_notify) {
    case SIGEV_SIGNAL:
      request.stage = Stage::Notifies;
      return arm_timer(request.task, runtime.world->clock().now(), request.notice.sigev_signo, kNoTask, false);
    case SIGEV_THREAD:
      return start_notice_thread(request);
    default:
      return;
  }
}

// A request that still has to tell of itself comes here again when it has.
void notify_group(Request& request) {
  if (request.group == kNoGroup || request.stage == Stage::Notifies) return;
  Group& group = execution_requests.groups[request.group];
  request.group = kNoGroup;
  if (--group.left != 0) return;
  request.notice = group.notice;
  notify(request);
}

void on_expired(TaskId task, std::int32_t result) {
  for (std::uint32_t i = 0; i < execution_requests.request_count; ++i) {
    Request& request = execution_requests.requests[i];
    if (request.task != task || request.stage == Stage::Free) continue;
    if (request.stage == Stage::Transfers) {
      transfer(request);
      notify(request);
      start_next(request.descriptor);
      after_call();
    } else {
      request.stage = Stage::Free;
      post_sent_signal(result, own_signal(request.notice.sigev_signo, SI_ASYNCIO, request.notice.sigev_value), true);
    }
    return notify_group(request);
  }
}

Request* free_request(Site site) {
  for (std::uint32_t i = 0; i < execution_requests.request_count; ++i)
    if (execution_requests.requests[i].stage == Stage::Free && timer_exists(execution_requests.requests[i].task))
      return &execution_requests.requests[i];
  execution_requests.requests.ensure(execution_requests.request_count, os::allocate);
  Request& made = execution_requests.requests[execution_requests.request_count];
  made.task = make_timer("aio request", site, on_expired);
  if (made.task == kNoTask) return nullptr;
  ++execution_requests.request_count;
  return &made;
}

ObjectId all_requests(Site site) { return object_without_descriptor(DescriptorKind::Requests, 1, site); }

void take_step(Site site) { take_step_on({OperationKind::DescriptorControl, all_requests(site), site}); }

// 0 or an errno value, as the call itself gives it.
int enqueue(aiocb* block, int operation, std::uint32_t group, Site site) {
  if (operation == kDataSync || operation == kSync) {
    block->aio_reqprio = 0;
  } else if (block->aio_reqprio < 0 || block->aio_reqprio > kMaxDelta) {
    finish_block(block, -EINVAL);
    return EINVAL;
  }
  if (can_wait_on(block->aio_fildes)) not_modelled("aio_read or aio_write on a pipe, a socket or a device");
  if (runtime.mode == Mode::Alone && !start_mark_wanted()) begin_branching();
  make_signals_virtual();
  SystemCall effect;
  effect.number = operation == LIO_WRITE ? SYS_pwrite64 : SYS_pread64;
  effect.arguments[0] = block->aio_fildes;
  judge_effect(effect);
  take_step(site);
  Request* request = free_request(site);
  if (request == nullptr) return EAGAIN;
  block->__error_code = EINPROGRESS;
  block->__return_value = 0;
  request->block = block;
  request->stage = Stage::Waits;
  request->descriptor = block->aio_fildes;
  request->operation = operation;
  request->group = group;
  request->number = ++execution_requests.requests_made;
  request->notice = block->aio_sigevent;
  request->site = site;
  race_pass_on(runtime.current, request->task);
  if (group != kNoGroup) ++execution_requests.groups[group].left;
  start_next(block->aio_fildes);
  return 0;
}

// Waits until ready(): 0, ETIMEDOUT or EINTR.
template <typename Ready>
int wait_until(const Ready& ready, Nanoseconds deadline, Site site) {
  Waiting waiting;
  waiting.data = &ready;
  waiting.ready = [](const Waiting& self) { return (*static_cast<const Ready*>(self.data))(); };
  const WaitingOperation operation{OperationKind::DescriptorWait, all_requests(site), site, deadline, kEndedBySignals};
  return static_cast<int>(
      -wait_and_attempt(waiting, operation, -ETIMEDOUT, [&]() -> long { return ready() ? 0 : -EAGAIN; }));
}

int suspend(const aiocb* const* list, int count, const timespec* limit, Site site) {
  const auto any_done = [list, count] {
    bool any = false;
    for (int i = 0; i < count; ++i) {
      any = any || list[i] != nullptr;
      if (list[i] != nullptr && is_done(list[i])) return true;
    }
    return !any;
  };
  const int error = wait_until(any_done, limit == nullptr ? kNoDeadline : deadline_after(*limit), site);
  return through_errno(error == ETIMEDOUT ? EAGAIN : error);
}

// Only what has not been begun; the others end by themselves.
int cancel(int descriptor, const aiocb* block, Site site) {
  if (os::system_call(SYS_fcntl, descriptor, F_GETFL) < 0) return through_errno(EBADF);
  if (block != nullptr && block->aio_fildes != descriptor) return through_errno(EINVAL);
  take_step(site);
  int result = AIO_ALLDONE;
  for (std::uint32_t i = 0; i < execution_requests.request_count; ++i) {
    Request& request = execution_requests.requests[i];
    const bool pending = request.stage == Stage::Waits || request.stage == Stage::Transfers;
    if (!pending || request.descriptor != descriptor || (block != nullptr && request.block != block)) continue;
    disarm_timer(request.task);
    finish_block(request.block, -ECANCELED);
    notify(request);
    notify_group(request);
    result = AIO_CANCELED;
  }
  after_call();
  return result;
}

int list_io(int mode, aiocb* const* list, int count, const sigevent* notice, Site site) {
  if (mode != LIO_WAIT && mode != LIO_NOWAIT) return through_errno(EINVAL);
  const std::uint32_t group = execution_requests.group_count++;
  execution_requests.groups.ensure(group, os::allocate);
  execution_requests.groups[group] = {1, {}};
  execution_requests.groups[group].notice.sigev_notify = SIGEV_NONE;
  if (mode == LIO_NOWAIT && notice != nullptr) execution_requests.groups[group].notice = *notice;
  bool failed = false;
  for (int i = 0; i < count; ++i) {
    if (list[i] == nullptr || list[i]->aio_lio_opcode == LIO_NOP) continue;
    failed = enqueue(list[i], list[i]->aio_lio_opcode, group, site) != 0 || failed;
  }
  const bool all_over = --execution_requests.groups[group].left == 0;  // what is taken away is ours
  if (Request* teller = all_over && mode == LIO_NOWAIT ? free_request(site) : nullptr; teller != nullptr) {
    teller->notice = execution_requests.groups[group].notice;
    teller->group = kNoGroup;
    teller->site = site;
    notify(*teller);
  }
  if (mode == LIO_WAIT) {
    const auto all_done = [list, count] {
      for (int i = 0; i < count; ++i)
        if (list[i] != nullptr && list[i]->aio_lio_opcode != LIO_NOP && !is_done(list[i])) return false;
      return true;
    };
    if (const int error = wait_until(all_done, kNoDeadline, site); error != 0) return through_errno(error);
    for (int i = 0; i < count; ++i)
      failed = failed || (list[i] != nullptr && list[i]->aio_lio_opcode != LIO_NOP && list[i]->__error_code != 0);
  }
  return through_errno(failed ? EIO : 0);
}

int sync(int how, aiocb* block, Site site) {
  if (how != O_DSYNC && how != O_SYNC) return through_errno(EINVAL);
  const long flags = os::system_call(SYS_fcntl, block->aio_fildes, F_GETFL);
  if (flags < 0 || (flags & O_ACCMODE) == O_RDONLY) return through_errno(EBADF);
  return through_errno(enqueue(block, how == O_DSYNC ? kDataSync : kSync, kNoGroup, site));
}

// Who asks again and again lets the others get on.
int error_of(const aiocb* block, Site site) {
  if (!is_done(block)) perform(OperationKind::Yield, kNoObject, site);
  return block->__error_code;
}

}  // namespace
}  // namespace heddle::runtime

// On this machine the functions for large files are the same. Before the first step libc has no request of the
// program's.
#define HEDDLE_AIO(type, name, parameters, arguments, ...) \
  HEDDLE_EXPORT type name parameters {                     \
    if (!controlled()) return real::name arguments;        \
    return __VA_ARGS__;                                    \
  }                                                        \
  static_assert(sizeof(aiocb) == sizeof(aiocb64), "one code for both")

HEDDLE_AIO(int, aio_read, (aiocb * b), (b), through_errno(enqueue(b, LIO_READ, kNoGroup, HEDDLE_CALLER)));
HEDDLE_AIO(int, aio_write, (aiocb * b), (b), through_errno(enqueue(b, LIO_WRITE, kNoGroup, HEDDLE_CALLER)));
HEDDLE_AIO(int, aio_fsync, (int how, aiocb* b), (how, b), sync(how, b, HEDDLE_CALLER));
HEDDLE_AIO(int, aio_error, (const aiocb* b), (b), error_of(b, HEDDLE_CALLER));
HEDDLE_AIO(ssize_t, aio_return, (aiocb * b), (b), b->__return_value);
HEDDLE_AIO(int, aio_suspend, (const aiocb* const l[], int n, const timespec* t), (l, n, t),
           suspend(l, n, t, HEDDLE_CALLER));
HEDDLE_AIO(int, aio_cancel, (int d, aiocb* b), (d, b), cancel(d, b, HEDDLE_CALLER));
HEDDLE_AIO(int, lio_listio, (int m, aiocb* const l[], int n, sigevent* e), (m, l, n, e),
           list_io(m, l, n, e, HEDDLE_CALLER));

HEDDLE_EXPORT int aio_read64(aiocb64*) __attribute__((alias("aio_read")));
HEDDLE_EXPORT int aio_write64(aiocb64*) __attribute__((alias("aio_write")));
HEDDLE_EXPORT int aio_fsync64(int, aiocb64*) __attribute__((alias("aio_fsync")));
HEDDLE_EXPORT int aio_error64(const aiocb64*) __attribute__((alias("aio_error")));
HEDDLE_EXPORT ssize_t aio_return64(aiocb64*) __attribute__((alias("aio_return")));
HEDDLE_EXPORT int aio_suspend64(const aiocb64* const[], int, const timespec*) __attribute__((alias("aio_suspend")));
HEDDLE_EXPORT int aio_cancel64(int, aiocb64*) __attribute__((alias("aio_cancel")));
HEDDLE_EXPORT int lio_listio64(int, aiocb64* const[], int, sigevent*) __attribute__((alias("lio_listio")));
