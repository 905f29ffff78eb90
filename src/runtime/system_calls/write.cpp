// Calls that wait for room: write, send, sendfile, splice. A blocking one of many bytes returns when all are written:
// each part is a step, and others may write in between, as in the kernel (except in a pipe, up to PIPE_BUF bytes).
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <time.h>

#include "runtime/calls/dispatch.h"
#include "runtime/calls/files.h"
#include "runtime/os/system_call.h"
#include "runtime/snapshot/user_memory.h"
#include "runtime/state/up_calls.h"
#include "runtime/system_calls/attempt.h"
#include "runtime/system_calls/perform.h"
#include "runtime/system_calls/signal_files.h"
#include "runtime/world/held_output.h"
#include "runtime/world/inherited.h"
#include "runtime/world/signals/deliver.h"
#include "runtime/world/signals/post.h"

namespace heddle::runtime {
namespace {

constexpr std::size_t kMaxParts = 64;  // of a scattered write that can be gone on with in its middle

// While it lives the kernel keeps SIGPIPE back, which it sends whom no reader is left for. It would look at the kernel
// thread's mask and run the handler in our midst.
class BrokenPipe {
 public:
  BrokenPipe() { change_mask(SIG_BLOCK, kSet, &before_); }
  ~BrokenPipe() {
    if ((before_ & kSet) == 0) change_mask(SIG_UNBLOCK, kSet, nullptr);
  }
  BrokenPipe(const BrokenPipe&) = delete;
  BrokenPipe& operator=(const BrokenPipe&) = delete;

  // Has it been sent? It is taken back.
  bool signalled() {
    constexpr timespec kNow{0, 0};
    return os::system_call(SYS_rt_sigtimedwait, reinterpret_cast<long>(&kSet), 0, reinterpret_cast<long>(&kNow),
                           sizeof kSet) == SIGPIPE;
  }

 private:
  static constexpr std::uint64_t kSet = model::signal_bit(SIGPIPE);
  static void change_mask(int how, const std::uint64_t& set, std::uint64_t* before) {
    os::system_call(SYS_rt_sigprocmask, how, reinterpret_cast<long>(&set), reinterpret_cast<long>(before), sizeof set);
  }
  std::uint64_t before_ = 0;
};

// `attempt` writes. If there is nobody to read, the thread gets its signal, by its own mask, before the call returns.
template <typename Attempt>
long wait_and_write(Waiting& waiting, const WaitingOperation& operation, Attempt attempt) {
  bool signalled = false;
  const long result = wait_and_attempt(waiting, operation, -EAGAIN, [&] {
    BrokenPipe pipe;
    const long written = attempt();
    signalled = written == -EPIPE && pipe.signalled();
    return written;
  });
  if (!signalled) return result;
  post_signal(runtime.current, own_signal(SIGPIPE, SI_USER), operation.site);
  deliver_signals();
  return result;
}

// One part: what the kernel takes now.
long send_part(const SystemCall& call, Site site, bool never_blocks, Nanoseconds deadline, HeldFiles& held) {
  const long descriptor = held.of(call.arguments[0]);
  Waiting waiting = wait_for(descriptor, POLLOUT, never_blocks);
  waiting.number = static_cast<int>(call.arguments[0]);
  waiting.held = &held;
  return wait_and_write(waiting, on_descriptor(OperationKind::DescriptorWrite, descriptor, site, deadline), [&] {
    const NonBlocking guard(waiting.descriptor);
    return make_on(waiting, call);
  });
}

bool is_modelled_output(long descriptor) {
  // What we were given to print to: whether it is a terminal, a pipe or a file must not change the steps.
  return can_wait_on(descriptor) && kind_of(descriptor) != DescriptorKind::Device && !is_inherited(descriptor);
}

// `advance` moves the call on by so many bytes and says whether anything is left.
template <typename Advance>
long send_all(SystemCall call, Site site, bool at_once, HeldFiles& held, Advance advance) {
  judge_effect(call);
  const bool never_blocks = at_once || fails_at_once(call.arguments[0], POLLOUT) || is_non_blocking(call.arguments[0]);
  const Nanoseconds deadline = never_blocks ? kNoDeadline : socket_deadline(call.arguments[0], SO_SNDTIMEO);
  long total = 0;
  for (;;) {
    const long result = send_part(call, site, never_blocks, deadline, held);
    if (result < 0) return total > 0 ? total : result;
    total += result;
    if (never_blocks || result == 0 || !advance(call, result)) return total;
  }
}

template <typename Advance>
long send_all(const SystemCall& call, Site site, bool at_once, Advance advance) {
  HeldFiles held;
  return send_all(call, site, at_once, held, advance);
}

bool advance_buffer(SystemCall& call, long written) {
  call.arguments[1] += written;
  call.arguments[2] -= written;
  return call.arguments[2] > 0;
}

// The parts of a scattered write that are left.
class Parts {
 public:
  Parts(const iovec* parts, std::size_t count) : usable_(count <= kMaxParts) {
    if (usable_) memcpy(parts_, parts, count * sizeof(iovec));
    left_ = count;
  }
  bool advance(std::size_t written) {
    if (!usable_) return false;
    while (left_ != 0 && written >= at_[0].iov_len) {
      written -= at_[0].iov_len;
      ++at_;
      --left_;
    }
    if (left_ == 0) return false;
    at_[0].iov_base = static_cast<char*>(at_[0].iov_base) + written;
    at_[0].iov_len -= written;
    return true;
  }
  iovec* at() { return at_; }
  std::size_t left() const { return left_; }

 private:
  bool usable_;
  iovec parts_[kMaxParts];
  iovec* at_ = parts_;
  std::size_t left_;
};

}  // namespace

long perform_write(const SystemCall& call, Site site) {
  if (long result = 0; hold_output(call, result)) return result;
  if (is_signal_file(call.arguments[0])) return -EINVAL;
  if (!is_modelled_output(call.arguments[0])) return pass(call);
  return send_all(call, site, call.arguments[2] == 0, advance_buffer);
}

long perform_write_parts(const SystemCall& call, Site site) {
  if (!is_modelled_output(call.arguments[0])) return pass(call);
  if (call.arguments[2] < 0 || call.arguments[2] > static_cast<long>(kMaxParts))
    return send_all(call, site, false, [](SystemCall&, long) { return false; });
  if (!is_readable(call.arguments[1], static_cast<std::size_t>(call.arguments[2]) * sizeof(iovec))) return -EFAULT;
  Parts parts(reinterpret_cast<const iovec*>(call.arguments[1]), static_cast<std::size_t>(call.arguments[2]));
  return send_all(call, site, false, [&](SystemCall& rest, long written) {
    if (!parts.advance(static_cast<std::size_t>(written))) return false;
    rest.arguments[1] = reinterpret_cast<long>(parts.at());
    rest.arguments[2] = static_cast<long>(parts.left());
    return true;
  });
}

// Without a position it is a writev() with flags.
long perform_write_at(const SystemCall& call, Site site) {
  const bool has_position = call.arguments[3] != -1;
  if (has_position || (call.arguments[5] & RWF_NOWAIT) != 0) return pass(call);
  return perform_write_parts(call, site);
}

long perform_send_to(const SystemCall& call, Site site) {
  if (!is_modelled_output(call.arguments[0])) return pass(call);
  return send_all(call, site, (call.arguments[3] & MSG_DONTWAIT) != 0, advance_buffer);
}

namespace {

long send_message(const SystemCall& call, Site site, HeldFiles& held) {
  const bool at_once = (call.arguments[2] & MSG_DONTWAIT) != 0;
  msghdr message;
  if (!is_readable(call.arguments[1], sizeof message)) return -EFAULT;
  memcpy(&message, reinterpret_cast<const void*>(call.arguments[1]), sizeof message);
  if (message.msg_iovlen > kMaxParts)
    return send_all(call, site, at_once, held, [](SystemCall&, long) { return false; });
  if (!is_readable(reinterpret_cast<long>(message.msg_iov), message.msg_iovlen * sizeof(iovec))) return -EFAULT;
  Parts parts(message.msg_iov, message.msg_iovlen);
  return send_all(call, site, at_once, held, [&](SystemCall& rest, long written) {
    if (!parts.advance(static_cast<std::size_t>(written))) return false;
    message.msg_iov = parts.at();
    message.msg_iovlen = parts.left();
    message.msg_control = nullptr;  // went with the first part
    message.msg_controllen = 0;
    rest.arguments[1] = reinterpret_cast<long>(&message);
    return true;
  });
}

}  // namespace

long perform_send_message(const SystemCall& call, Site site) {
  if (!is_modelled_output(call.arguments[0])) return pass(call);
  HeldFiles held;
  return send_message(call, site, held);
}

// One message after the other, each whole, so that a stream gets all of it.
long perform_send_messages(const SystemCall& call, Site site) {
  if (!is_modelled_output(call.arguments[0])) return pass(call);
  auto* messages = reinterpret_cast<mmsghdr*>(call.arguments[1]);
  const auto count = static_cast<unsigned>(call.arguments[2]);
  if (!is_readable(call.arguments[1], count * sizeof(mmsghdr))) return -EFAULT;
  HeldFiles held;
  long sent = 0;
  for (; sent < count; ++sent) {
    SystemCall one;
    one.number = SYS_sendmsg;
    one.arguments[0] = call.arguments[0];
    one.arguments[1] = reinterpret_cast<long>(&messages[sent].msg_hdr);
    one.arguments[2] = call.arguments[3];
    const long result = send_message(one, site, held);
    if (result < 0) return sent > 0 ? sent : result;
    messages[sent].msg_len = static_cast<unsigned>(result);
  }
  return sent;
}

// The kernel moves the offset on by itself.
long perform_send_file(const SystemCall& call, Site site) {
  if (!is_modelled_output(call.arguments[0])) return pass(call);
  return send_all(call, site, false, [](SystemCall& rest, long written) {
    rest.arguments[3] -= written;
    return rest.arguments[3] > 0;
  });
}

namespace {

struct BothEnds {
  long from, to;
};

const BothEnds& ends_of(const Waiting& waiting) { return *static_cast<const BothEnds*>(waiting.data); }

bool is_an_end(const Waiting& waiting, long number) {
  return number == ends_of(waiting).from || number == ends_of(waiting).to;
}

bool end_ready(long descriptor, short events) {
  pollfd end{static_cast<int>(descriptor), events, 0};
  return !can_wait_on(descriptor) || os::system_call(SYS_poll, reinterpret_cast<long>(&end), 1, 0) > 0;
}

bool both_ready(const Waiting& waiting) {
  const auto descriptor = [&](long number) { return waiting.held == nullptr ? number : waiting.held->of(number); };
  return end_ready(descriptor(ends_of(waiting).from), POLLIN) && end_ready(descriptor(ends_of(waiting).to), POLLOUT);
}

}  // namespace

namespace {

// `to`, `flags`: which arguments.
long move_between(const SystemCall& call, int to, int flags, Site site) {
  const BothEnds ends{call.arguments[0], call.arguments[to]};
  if (!can_wait_on(ends.from) && !can_wait_on(ends.to)) return pass(call);
  judge_effect(call);
  const long main = can_wait_on(ends.from) ? ends.from : ends.to;
  Waiting waiting = wait_for(main, POLLIN | POLLOUT, (call.arguments[flags] & SPLICE_F_NONBLOCK) != 0);
  waiting.ready = both_ready;
  waiting.data = &ends;
  waiting.descriptor = -1;
  waiting.names = is_an_end;
  return wait_and_write(waiting, on_descriptor(OperationKind::DescriptorWrite, main, site), [&] {
    SystemCall now = call;
    for (const int end : {0, to}) now.arguments[end] = waiting.held->of(call.arguments[end]);
    const NonBlocking source(now.arguments[0]), target(now.arguments[to]);
    return make_system_call(now);
  });
}

}  // namespace

long perform_splice(const SystemCall& call, Site site) { return move_between(call, 2, 5, site); }

// Between memory and a pipe: to its writing end once there is room, from the other once there is data.
long perform_memory_splice(const SystemCall& call, Site site) {
  const long descriptor = call.arguments[0];
  if (kind_of(descriptor) != DescriptorKind::Pipe) return pass(call);
  const short events = fails_at_once(descriptor, POLLOUT) ? POLLIN : POLLOUT;
  judge_effect(call);
  const bool at_once = (call.arguments[3] & SPLICE_F_NONBLOCK) != 0 || call.arguments[2] == 0;
  Waiting waiting = wait_for(descriptor, events, at_once);
  const OperationKind kind = events == POLLIN ? OperationKind::DescriptorRead : OperationKind::DescriptorWrite;
  SystemCall now = call;
  now.arguments[3] |= SPLICE_F_NONBLOCK;
  return wait_and_write(waiting, on_descriptor(kind, descriptor, site), [&] { return make_on(waiting, now); });
}

// What is read stays in the first pipe.
long perform_tee(const SystemCall& call, Site site) { return move_between(call, 1, 3, site); }

}  // namespace heddle::runtime
