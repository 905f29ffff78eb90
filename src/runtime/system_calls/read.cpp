// Calls that wait for something to arrive: read, receive, accept.
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include "runtime/calls/dispatch.h"
#include "runtime/calls/files.h"
#include "runtime/os/system_call.h"
#include "runtime/state/up_calls.h"
#include "runtime/system_calls/attempt.h"
#include "runtime/system_calls/perform.h"
#include "runtime/system_calls/signal_files.h"
#include "runtime/system_calls/timers.h"

namespace heddle::runtime {
namespace {

// For urgent data nobody waits; and it is not what poll() tells of.
constexpr long kNeverWait = MSG_DONTWAIT | MSG_OOB;

// Nothing is there to be taken: does the call return at once all the same, as it is wrong, or asks for nothing? Asking
// so changes nothing. Not where something may arrive meanwhile.
bool returns_at_once(const Waiting& waiting, const SystemCall& call) {
  if (waiting.outside || waiting.ready(waiting)) return false;
  const NonBlocking guard(waiting.descriptor);
  return make_system_call(call) != -EAGAIN;
}

// One part of what was asked for; `held` is one for all of them.
long receive_part(const SystemCall& call, Site site, bool never_blocks, HeldFiles& held) {
  const long descriptor = held.of(call.arguments[0]);
  judge_effect(call);
  Waiting waiting = wait_for(descriptor, POLLIN, never_blocks || is_non_blocking(descriptor));
  waiting.number = static_cast<int>(call.arguments[0]);
  waiting.held = &held;
  if (!waiting.never_blocks) waiting.never_blocks = fails_at_once(descriptor, POLLIN) || returns_at_once(waiting, call);
  const Nanoseconds deadline = waiting.never_blocks ? kNoDeadline : socket_deadline(descriptor, SO_RCVTIMEO);
  return wait_and_attempt(waiting, on_descriptor(OperationKind::DescriptorRead, descriptor, site, deadline), -EAGAIN,
                          [&] {
                            before_timer_is_read(waiting.descriptor);
                            const NonBlocking guard(waiting.descriptor);
                            return make_on(waiting, call);
                          });
}

long receive(const SystemCall& call, Site site, bool never_blocks) {
  HeldFiles held;
  return receive_part(call, site, never_blocks, held);
}

// MSG_WAITALL: the whole buffer, unless the peer closes.
long receive_all(SystemCall call, Site site) {
  long total = 0;
  const long wanted = call.arguments[2];
  call.arguments[3] &= ~MSG_WAITALL;
  HeldFiles held;
  while (total < wanted) {
    const long result = receive_part(call, site, false, held);
    if (result <= 0) return total > 0 ? total : result;
    total += result;
    call.arguments[1] += result;
    call.arguments[2] -= result;
  }
  return total;
}

bool is_stream(long descriptor) {
  int type = 0;
  socklen_t size = sizeof type;
  os::system_call(SYS_getsockopt, descriptor, SOL_SOCKET, SO_TYPE, reinterpret_cast<long>(&type),
                  reinterpret_cast<long>(&size));
  return type == SOCK_STREAM;
}

}  // namespace

long perform_read(const SystemCall& call, Site site) {
  if (is_signal_file(call.arguments[0])) return read_signal_file(call, site);
  return can_wait_on(call.arguments[0]) ? receive(call, site, false) : pass(call);
}

// Without a position it is a readv() with flags.
long perform_read_at(const SystemCall& call, Site site) {
  const bool has_position = call.arguments[3] != -1;
  if (has_position || is_signal_file(call.arguments[0]) || !can_wait_on(call.arguments[0])) return pass(call);
  return receive(call, site, (call.arguments[5] & RWF_NOWAIT) != 0);
}

long perform_receive_from(const SystemCall& call, Site site) {
  if (!can_wait_on(call.arguments[0])) return pass(call);
  const bool at_once = (call.arguments[3] & kNeverWait) != 0;
  constexpr long kElse = MSG_PEEK | MSG_TRUNC;
  const bool all = (call.arguments[3] & (MSG_WAITALL | kElse)) == MSG_WAITALL;
  if (all && !at_once && !is_non_blocking(call.arguments[0]) && is_stream(call.arguments[0]))
    return receive_all(call, site);
  return receive(call, site, at_once);
}

long perform_receive_message(const SystemCall& call, Site site) {
  if (!can_wait_on(call.arguments[0])) return pass(call);
  const long result = receive(call, site, (call.arguments[2] & kNeverWait) != 0);
  return result;
}

// Waits for the first message only when it is told so; else for all. The time limit is looked at between messages.
long perform_receive_messages(const SystemCall& call, Site site) {
  if (!can_wait_on(call.arguments[0])) return pass(call);
  const bool at_once = (call.arguments[3] & MSG_DONTWAIT) != 0;
  const long wanted = static_cast<unsigned>(call.arguments[2]);
  SystemCall rest = call;
  HeldFiles held;
  long total = 0;
  do {
    const long result = receive_part(rest, site, at_once, held);
    if (result <= 0) return total > 0 ? total : result;
    total += result;
    rest.arguments[1] += result * static_cast<long>(sizeof(mmsghdr));
    rest.arguments[2] -= result;
  } while (total < wanted && !at_once && (call.arguments[3] & MSG_WAITFORONE) == 0 && call.arguments[4] == 0 &&
           !is_non_blocking(held.of(call.arguments[0])));
  return total;
}

long perform_accept(const SystemCall& call, Site site) {
  const bool wrong = call.number == SYS_accept4 && (call.arguments[3] & ~(SOCK_CLOEXEC | SOCK_NONBLOCK)) != 0;
  if (wrong) return pass(call);
  const long result = perform_read(call, site);
  if (result >= 0) forget_descriptor(result);  // a number that is used again
  return result;
}

}  // namespace heddle::runtime
