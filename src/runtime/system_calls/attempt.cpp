// See attempt.h.
#include "runtime/system_calls/attempt.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/uio.h>

#include "runtime/calls/dispatch.h"
#include "runtime/calls/files.h"
#include "runtime/calls/network.h"
#include "runtime/os/system_call.h"
#include "runtime/state/operation.h"
#include "runtime/state/runtime.h"
#include "runtime/state/up_calls.h"
#include "runtime/world/live_children.h"

namespace heddle::runtime {
namespace {

bool polls_ready(const Waiting& waiting) {
  pollfd entry{waiting.descriptor, waiting.events, 0};
  return os::system_call(SYS_poll, reinterpret_cast<long>(&entry), 1, 0) > 0;
}

}  // namespace

NonBlocking::NonBlocking(long descriptor)
    : descriptor_(descriptor), flags_(os::system_call(SYS_fcntl, descriptor, F_GETFL)) {
  if (flags_ >= 0 && ((flags_ & O_NONBLOCK) != 0 || kind_of(descriptor) == DescriptorKind::Device)) flags_ = -1;
  if (flags_ >= 0) os::system_call(SYS_fcntl, descriptor, F_SETFL, flags_ | O_NONBLOCK);
}

NonBlocking::~NonBlocking() {
  if (flags_ >= 0) os::system_call(SYS_fcntl, descriptor_, F_SETFL, flags_);
}

bool is_non_blocking(long descriptor) {
  const long flags = os::system_call(SYS_fcntl, descriptor, F_GETFL);
  return flags >= 0 && (flags & O_NONBLOCK) != 0;
}

bool fails_at_once(long descriptor, short events) {
  const long flags = os::system_call(SYS_fcntl, descriptor, F_GETFL);
  const long refused = events == POLLIN ? O_WRONLY : O_RDONLY;
  return flags < 0 || (flags & O_PATH) != 0 || ((flags & O_ACCMODE) == refused && events != (POLLIN | POLLOUT));
}

Nanoseconds socket_deadline(long descriptor, int option) {
  if (kind_of(descriptor) != DescriptorKind::Socket) return kNoDeadline;
  timeval limit{};
  socklen_t size = sizeof limit;
  const long result = os::system_call(SYS_getsockopt, descriptor, SOL_SOCKET, option, reinterpret_cast<long>(&limit),
                                      reinterpret_cast<long>(&size));
  if (result != 0 || (limit.tv_sec == 0 && limit.tv_usec == 0)) return kNoDeadline;
  return runtime.world->clock().now() + limit.tv_sec * 1'000'000'000 + limit.tv_usec * 1000;
}

Waiting wait_for(long descriptor, short events, bool never_blocks) {
  Waiting waiting;
  waiting.ready = polls_ready;
  waiting.never_blocks = never_blocks;
  const Outside outside = never_blocks ? Outside::Never : ended_from_outside(descriptor);
  waiting.outside = outside != Outside::Never;
  waiting.foreign = outside == Outside::Only;
  waiting.by_channels = outside == Outside::Perhaps && is_channel(descriptor);
  waiting.descriptor = static_cast<int>(descriptor);
  waiting.number = waiting.descriptor;
  waiting.events = events;
  return waiting;
}

WaitingOperation on_descriptor(OperationKind kind, long descriptor, Site site, Nanoseconds deadline) {
  return {kind, object_of(descriptor, site), site, deadline, restarted_by_signals(deadline)};
}

long make_on(const Waiting& waiting, SystemCall call) {
  call.arguments[0] = waiting.descriptor;
  if (is_internet_socket(waiting.descriptor)) network_is_used();
  children_may_go_on();
  return make_system_call(call);
}

long pass(const SystemCall& call) {
  judge_effect(call);
  return make_system_call(call);
}

bool is_internet_socket(long descriptor) {
  if (kind_of(descriptor) != DescriptorKind::Socket) return false;
  int domain = 0;
  socklen_t size = sizeof domain;
  os::system_call(SYS_getsockopt, descriptor, SOL_SOCKET, SO_DOMAIN, reinterpret_cast<long>(&domain),
                  reinterpret_cast<long>(&size));
  return domain == AF_INET || domain == AF_INET6;
}

}  // namespace heddle::runtime
