// Calls that make, join and end descriptors, and so may let others go on.
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include "runtime/calls/dispatch.h"
#include "runtime/calls/effects.h"
#include "runtime/calls/files.h"
#include "runtime/calls/network.h"
#include "runtime/os/system_call.h"
#include "runtime/ring/output.h"
#include "runtime/snapshot/user_memory.h"
#include "runtime/state/runtime.h"
#include "runtime/state/up_calls.h"
#include "runtime/system_calls/attempt.h"
#include "runtime/system_calls/closing.h"
#include "runtime/system_calls/perform.h"
#include "runtime/world/descriptors.h"
#include "runtime/world/held_output.h"
#include "runtime/world/inherited.h"
#include "runtime/world/live_children.h"
#include "runtime/world/undo.h"

namespace heddle::runtime {
namespace {

// A step, where others may be concerned.
void take_control_step(long descriptor, Site site) {
  if (!can_wait_on(descriptor)) return;
  take_step_on(on_descriptor(OperationKind::DescriptorControl, descriptor, site));
  if (is_internet_socket(descriptor)) network_is_used();
}

// What we were given to read from or print to may be anything: it must not change the steps.
bool is_shared(long descriptor) { return can_wait_on(descriptor) && !is_inherited(descriptor); }

}  // namespace

void take_shared_step(long descriptor, Site site) {
  if (is_shared(descriptor)) take_control_step(descriptor, site);
}

namespace {

// Nothing is open there now; but another thread may open something before the step.
bool is_free(long descriptor) { return descriptor >= 0 && kind_of(descriptor) == DescriptorKind::All; }

// The step of closing one number, where others may be concerned.
void take_close_step(long descriptor, Site site) {
  const bool concerns_others = can_wait_on(descriptor) || (runtime.world->population().live_tasks() > 1 &&
                                                           (is_free(descriptor) || holds_lock(descriptor)));
  take_closing_step({descriptor, descriptor}, descriptor, concerns_others, site);
  if (concerns_others && is_internet_socket(descriptor)) network_is_used();
}

long made(const SystemCall& call) {
  const long result = make_system_call(call);
  children_may_go_on();
  after_call();
  return result;
}

long made_new(const SystemCall& call) {
  const long result = pass(call);
  if (result >= 0) forget_descriptor(result);
  return result;
}

// Another number for the same open file; what the number was before is closed.
long made_copy(const SystemCall& call, long closes, Site site) {
  judge_effect(call);
  if (closes < 0)
    take_shared_step(call.arguments[0], site);
  else if (closes != call.arguments[0])
    take_close_step(closes, site);
  can_wait_on(call.arguments[0]);  // from now on it is known
  const long result = made(call);
  if (result >= 0 && result != call.arguments[0]) {
    forget_descriptor(result);
    note_copy(call.arguments[0], result);
    note_copied_descriptor(call.arguments[0], result);
  }
  return result;
}

}  // namespace

long perform_close(const SystemCall& call, Site site) {
  judge_effect(call);
  const long descriptor = static_cast<int>(call.arguments[0]);
  take_close_step(descriptor, site);
  forget_descriptor(descriptor);
  return made(call);
}

long perform_close_range(const SystemCall& call, Site site) {
  judge_effect(call);
  constexpr long kNoNumber = -1;
  const auto first = static_cast<unsigned>(call.arguments[0]), last = static_cast<unsigned>(call.arguments[1]);
  const bool marks_only = (call.arguments[2] & 4) != 0;  // CLOSE_RANGE_CLOEXEC
  if (!marks_only) {
    take_closing_step({first, last}, kNoNumber, runtime.world->population().live_tasks() > 1, site);
    forget_descriptors(first, last);
  }
  return made(call);
}

long perform_dup(const SystemCall& call, Site site) { return made_copy(call, -1, site); }
long perform_dup2(const SystemCall& call, Site site) { return made_copy(call, call.arguments[1], site); }

long perform_pipe(const SystemCall& call, Site site) {
  const long result = pass(call);
  const auto* ends = reinterpret_cast<const int*>(call.arguments[0]);
  if (result == 0) note_pair(ends[0], ends[1], DescriptorKind::Pipe, site);
  return result;
}

long perform_socket_pair(const SystemCall& call, Site site) {
  const long result = pass(call);
  const auto* ends = reinterpret_cast<const int*>(call.arguments[3]);
  if (result == 0) note_pair(ends[0], ends[1], DescriptorKind::SocketPair, site);
  return result;
}

long perform_new_descriptor(const SystemCall& call, Site) { return made_new(call); }

long perform_control(const SystemCall& call, Site site) {
  judge_effect(call);
  take_control_step(call.arguments[0], site);
  return made(call);
}

// Every execution takes the same port: who was connected to it in the one before must not keep it from being taken.
long perform_bind(const SystemCall& call, Site) {
  judge_effect(call);
  const auto* address = reinterpret_cast<const sockaddr_in*>(call.arguments[1]);
  if (is_internet_socket(call.arguments[0]) && call.arguments[2] >= 8 && is_readable(call.arguments[1], 8) &&
      address->sin_port != 0) {
    const int on = 1;
    os::system_call(SYS_setsockopt, call.arguments[0], SOL_SOCKET, SO_REUSEADDR, reinterpret_cast<long>(&on),
                    sizeof on);
  }
  return made(call);
}

// Flags decide whether other calls block.
long perform_flags(const SystemCall& call, Site site) {
  if (is_shared(call.arguments[0])) take_flags_step(call.arguments[0], site);
  const long result = pass(call);
  if (is_captured_output(static_cast<int>(call.arguments[0]))) on_output_flags();
  after_call();
  return result;
}

// Timeouts and sizes of buffers.
long perform_socket_option(const SystemCall& call, Site site) {
  if (call.arguments[1] == SOL_SOCKET) take_shared_step(call.arguments[0], site);
  return pass(call);
}

long perform_device_control(const SystemCall& call, Site site) {
  const auto request = static_cast<unsigned long>(call.arguments[1]);
  if (request == TCGETS && leads_to_output(call.arguments[0])) return -ENOTTY;  // a file, as often as it is asked
  if (request == FIONBIO) return perform_flags(call, site);
  if (request == FIONREAD) take_shared_step(call.arguments[0], site);
  return pass(call);
}

long perform_epoll_control(const SystemCall& call, Site site) {
  judge_effect(call);
  take_control_step(call.arguments[0], site);
  const long result = made(call);
  if (result == 0 && call.arguments[1] == EPOLL_CTL_ADD) note_member(call.arguments[0], call.arguments[2]);
  return result;
}

long perform_connect(const SystemCall& call, Site site) {
  const long descriptor = call.arguments[0];
  if (!can_wait_on(descriptor)) return pass(call);
  judge_effect(call);
  const bool at_once = is_non_blocking(descriptor);
  const Nanoseconds deadline = at_once ? kNoDeadline : socket_deadline(descriptor, SO_SNDTIMEO);
  HeldFiles held;
  Waiting waiting = wait_for(descriptor, POLLOUT, at_once);
  waiting.held = &held;
  waiting.outside = false;
  waiting.ready = [](const Waiting&) { return true; };  // a backlog that is full says so only to who tries
  const long result = wait_and_attempt(
      waiting, on_descriptor(OperationKind::DescriptorControl, descriptor, site, deadline), -EAGAIN, [&] {
        const NonBlocking guard(waiting.descriptor);
        return make_on(waiting, call);
      });
  if (at_once || (result != -EINPROGRESS && result != -EALREADY)) return result;
  // Only a second call tells the kernel's socket that it is connected.
  Waiting connected = wait_for(held.of(descriptor), POLLOUT, false);
  connected.number = static_cast<int>(descriptor);
  connected.held = &held;
  return wait_and_attempt(connected, on_descriptor(OperationKind::DescriptorWait, waiting.descriptor, site, deadline),
                          -EINPROGRESS, [&]() -> long {
                            const NonBlocking guard(connected.descriptor);
                            const long again = make_on(connected, call);
                            return again == -EALREADY || again == -EINPROGRESS ? -EAGAIN : again;
                          });
}

}  // namespace heddle::runtime
