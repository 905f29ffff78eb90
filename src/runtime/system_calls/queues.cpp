// Message queues (POSIX, System V) and semaphore sets of System V. They are the kernel's; calls that change nothing ask
// whether a call can go on now.
#include <errno.h>
#include <mqueue.h>
#include <poll.h>
#include <string.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/stat.h>

#include "runtime/calls/dispatch.h"
#include "runtime/calls/files.h"
#include "runtime/os/system_call.h"
#include "runtime/snapshot/user_memory.h"
#include "runtime/state/operation.h"
#include "runtime/state/up_calls.h"
#include "runtime/system_calls/attempt.h"
#include "runtime/system_calls/closing.h"
#include "runtime/system_calls/perform.h"
#include "runtime/system_calls/queue_notices.h"
#include "runtime/world/clock.h"
#include "runtime/world/live_children.h"

namespace heddle::runtime {
namespace {

// --- POSIX

// Another process can have opened it for as long as it has a name.
bool has_name(long queue) {
  struct stat status {};
  return os::system_call(SYS_fstat, queue, reinterpret_cast<long>(&status)) == 0 && status.st_nlink != 0;
}

long on_queue(const SystemCall& call, OperationKind kind, short events, Site site) {
  const long queue = call.arguments[0];
  const auto* limit = reinterpret_cast<const timespec*>(call.arguments[4]);
  if (limit != nullptr && !is_readable(call.arguments[4], sizeof *limit)) return -EFAULT;
  if (limit != nullptr && (!valid(*limit) || limit->tv_sec < 0)) return -EINVAL;
  judge_effect(call);
  if (kind_of(queue) != DescriptorKind::MessageQueue) return make_system_call(call);
  Waiting waiting = wait_for(queue, events, fails_at_once(queue, events) || is_non_blocking(queue));
  waiting.foreign = false;
  waiting.outside = has_name(queue) || has_live_child();
  const Nanoseconds deadline = limit == nullptr ? kNoDeadline : deadline_at(CLOCK_REALTIME, limit);
  SystemCall now = call;
  now.arguments[4] = 0;
  QueueNotice notice(queue, false, site);
  const auto attempt = [&] {
    const NonBlocking guard(waiting.descriptor);
    notice = QueueNotice(waiting.descriptor, kind == OperationKind::DescriptorWrite, site);
    const long made = make_on(waiting, now);
    if (made >= 0) notice.sent();
    return made;
  };
  // Wrong sizes are told at once, also where there is nothing to be had: asking changes nothing then.
  if (!waiting.never_blocks && !waiting.outside && !waiting.ready(waiting)) waiting.never_blocks = attempt() != -EAGAIN;
  const long result = wait_and_attempt(waiting, on_descriptor(kind, queue, site, deadline), -ETIMEDOUT, attempt);
  notice.give(site);
  return result;
}

// --- System V

bool messages_fit(const Waiting& waiting) {
  const auto* call = static_cast<const SystemCall*>(waiting.data);
  msqid_ds status{};
  if (os::system_call(SYS_msgctl, call->arguments[0], IPC_STAT, reinterpret_cast<long>(&status)) < 0) return true;
  const auto size = static_cast<unsigned long>(call->arguments[2]);
  return size + status.__msg_cbytes <= status.msg_qbytes && 1 + status.msg_qnum <= status.msg_qbytes;
}

bool is_wanted(long type, long wanted, long flags) {
  if (wanted == 0) return true;
  if (wanted < 0) return type <= -wanted;
  return (flags & MSG_EXCEPT) != 0 ? type != wanted : type == wanted;
}

// Copies of the messages are looked at; where the kernel does not give any, it is tried.
bool message_there(const Waiting& waiting) {
  const long* const a = static_cast<const SystemCall*>(waiting.data)->arguments;
  constexpr long kLargest = 8192;  // the kernel's limit, unless it was raised
  struct {
    long type = 0;
    char text[kLargest];
  } copy;
  for (long place = 0;; ++place) {
    const long size = os::system_call(SYS_msgrcv, a[0], reinterpret_cast<long>(&copy), kLargest, place,
                                      MSG_COPY | IPC_NOWAIT | MSG_NOERROR);
    if (size == -ENOMSG) return false;
    if (size < 0 || is_wanted(copy.type, a[3], a[4])) return true;
  }
}

constexpr unsigned long kMaxOperations = 500;  // the kernel's limit
constexpr unsigned kMaxSemaphores = 64;        // that one call is followed for; more are tried

struct SemaphoreValues {
  unsigned short numbers[kMaxSemaphores];
  long values[kMaxSemaphores];
  unsigned count = 0;

  // Null: the kernel says why not.
  long* value_of(long set, unsigned short number) {
    for (unsigned i = 0; i < count; ++i)
      if (numbers[i] == number) return &values[i];
    const long value = count == kMaxSemaphores ? -E2BIG : os::system_call(SYS_semctl, set, number, GETVAL, 0);
    if (value < 0) return nullptr;
    numbers[count] = number;
    values[count] = value;
    return &values[count++];
  }
};

// All of the operations together, or none; the first that has to wait decides.
bool operations_possible(const Waiting& waiting) {
  const long* const a = static_cast<const SystemCall*>(waiting.data)->arguments;
  const auto* operations = reinterpret_cast<const sembuf*>(a[1]);
  SemaphoreValues known;
  for (long i = 0; i < a[2]; ++i) {
    const sembuf& operation = operations[i];
    long* value = known.value_of(a[0], operation.sem_num);
    if (value == nullptr) return true;
    const bool waits = operation.sem_op == 0 ? *value != 0 : *value + operation.sem_op < 0;
    if (waits) return (operation.sem_flg & IPC_NOWAIT) != 0;
    *value += operation.sem_op;
  }
  return true;
}

// An object with a key can be had by other processes.
bool has_key(long number, long id) {
  union {
    msqid_ds messages;
    semid_ds semaphores;
  } status{};
  const auto at = reinterpret_cast<long>(&status);
  const long result = number == SYS_msgctl ? os::system_call(SYS_msgctl, id, IPC_STAT, at)
                                           : os::system_call(SYS_semctl, id, 0, IPC_STAT, at);
  const ipc_perm& permissions = number == SYS_msgctl ? status.messages.msg_perm : status.semaphores.sem_perm;
  return result >= 0 && permissions.__key != IPC_PRIVATE;
}

// `now` is the call in the form that does not wait; `busy` what it says then.
long on_object(const SystemCall& call, const SystemCall& now, const WaitingOperation& operation, long control,
               bool (*ready)(const Waiting&), bool never_blocks, long busy) {
  judge_effect(call);
  Waiting waiting;
  waiting.ready = ready;
  waiting.never_blocks = never_blocks;
  waiting.outside = !never_blocks && (has_live_child() || has_key(control, call.arguments[0]));
  waiting.data = &call;
  const bool waited = !never_blocks && !ready(waiting);
  const long result = wait_and_attempt(waiting, operation, -EAGAIN, [&] {
    const long tried = make_system_call(now);
    children_may_go_on();
    return tried == busy ? -EAGAIN : tried;
  });
  if (result == -EINVAL && waited) return -EIDRM;  // it was there when the wait began
  return result == -EAGAIN && never_blocks ? busy : result;
}

WaitingOperation on_number(OperationKind kind, DescriptorKind object, long number, Site site,
                           Nanoseconds deadline = kNoDeadline) {
  // A wait for one of these is not begun again after a handler, whatever SA_RESTART says (signal(7)).
  return {kind, object_without_descriptor(object, static_cast<int>(number), site), site, deadline, kEndedBySignals};
}

}  // namespace

long perform_queue_open(const SystemCall& call, Site) {
  const long result = pass(call);
  if (result >= 0) forget_descriptor(result);
  return result;
}

// What they tell, how many messages there are, depends on what others send and receive; what they set, on who waits.
long perform_queue_attributes(const SystemCall& call, Site site) {
  const long queue = call.arguments[0];
  if (kind_of(queue) != DescriptorKind::MessageQueue) return pass(call);
  judge_effect(call);
  const bool sets = call.arguments[1] != 0;
  if (sets)
    take_flags_step(queue, site);
  else
    take_step_on(on_descriptor(OperationKind::DescriptorControl, queue, site));
  return make_system_call(call);
}

long perform_queue_send(const SystemCall& call, Site site) {
  return on_queue(call, OperationKind::DescriptorWrite, POLLOUT, site);
}

long perform_queue_receive(const SystemCall& call, Site site) {
  return on_queue(call, OperationKind::DescriptorRead, POLLIN, site);
}

long perform_message_send(const SystemCall& call, Site site) {
  SystemCall now = call;
  now.arguments[3] |= IPC_NOWAIT;
  return on_object(call, now,
                   on_number(OperationKind::DescriptorWrite, DescriptorKind::MessageQueue, call.arguments[0], site),
                   SYS_msgctl, messages_fit, (call.arguments[3] & IPC_NOWAIT) != 0, -EAGAIN);
}

long perform_message_receive(const SystemCall& call, Site site) {
  SystemCall now = call;
  now.arguments[4] |= IPC_NOWAIT;
  return on_object(call, now,
                   on_number(OperationKind::DescriptorRead, DescriptorKind::MessageQueue, call.arguments[0], site),
                   SYS_msgctl, message_there, (call.arguments[4] & IPC_NOWAIT) != 0, -ENOMSG);
}

long perform_semaphore_operations(const SystemCall& call, Site site) {
  const long* const a = call.arguments;
  const auto* limit = call.number == SYS_semtimedop ? reinterpret_cast<const timespec*>(a[3]) : nullptr;
  const auto count = static_cast<unsigned long>(a[2]);
  if (count == 0 || count > kMaxOperations || !is_readable(a[1], count * sizeof(sembuf))) return pass(call);
  if (limit != nullptr && !is_readable(a[3], sizeof *limit)) return -EFAULT;
  if (limit != nullptr && (!valid(*limit) || limit->tv_sec < 0)) return -EINVAL;
  sembuf operations[kMaxOperations];
  memcpy(operations, reinterpret_cast<const void*>(a[1]), count * sizeof(sembuf));
  bool all_at_once = true;
  for (unsigned long i = 0; i < count; ++i) {
    all_at_once = all_at_once && (operations[i].sem_flg & IPC_NOWAIT) != 0;
    operations[i].sem_flg |= IPC_NOWAIT;
  }
  SystemCall now = call;
  now.number = SYS_semop;
  now.arguments[1] = reinterpret_cast<long>(operations);
  const Nanoseconds deadline = limit == nullptr ? kNoDeadline : deadline_after(*limit);
  return on_object(call, now,
                   on_number(OperationKind::DescriptorControl, DescriptorKind::SemaphoreSet, a[0], site, deadline),
                   SYS_semctl, operations_possible, all_at_once, -EAGAIN);
}

// Setting values and removing may let others go on; asking does not.
long perform_object_control(const SystemCall& call, Site site) {
  const bool semaphores = call.number == SYS_semctl;
  const long command = call.arguments[semaphores ? 2 : 1];
  const bool changes = command == IPC_RMID || command == IPC_SET || command == SETVAL || command == SETALL;
  if (!changes) return pass(call);
  judge_effect(call);
  take_step_on(on_number(OperationKind::DescriptorControl,
                         semaphores ? DescriptorKind::SemaphoreSet : DescriptorKind::MessageQueue, call.arguments[0],
                         site));
  const long result = make_system_call(call);
  children_may_go_on();
  after_call();
  return result;
}

}  // namespace heddle::runtime
