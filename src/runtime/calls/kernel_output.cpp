// See kernel_output.h.
#include "runtime/calls/kernel_output.h"

#include <mqueue.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "protocol/page.h"
#include "runtime/snapshot/snapshot.h"
#include "runtime/snapshot/user_memory.h"
#include "runtime/state/runtime.h"

namespace heddle::runtime {
namespace {

struct KernelOutput {
  std::uintptr_t address = 0;
  std::size_t bytes = 0;
};

// For a call that has no effect beyond memory.
KernelOutput output_of(const SystemCall& call) {
  const long* const a = call.arguments;
  const auto at = [&](int argument, long bytes) {
    return KernelOutput{static_cast<std::uintptr_t>(a[argument]), bytes > 0 ? static_cast<std::size_t>(bytes) : 0};
  };
  constexpr long kPage = kPageBytes;
  constexpr long kMaxEvents = 4096;
  constexpr long kStatus = 256;  // struct stat, statx, statfs, utsname pieces: more is retried by the caller
  switch (call.number) {
    case SYS_getrandom:
    case SYS_getcwd:
      return at(0, a[1]);
    case SYS_pipe:
    case SYS_pipe2:
      return at(0, 2 * sizeof(int));
    case SYS_socketpair:
      return at(3, 2 * sizeof(int));
    case SYS_poll:
      return at(0, a[1] * static_cast<long>(sizeof(pollfd)));
    case SYS_epoll_wait:
      return at(1, (a[2] < kMaxEvents ? a[2] : kMaxEvents) * static_cast<long>(sizeof(epoll_event)));
    case SYS_read:
    case SYS_pread64:
    case SYS_recvfrom:
    case SYS_readlink:
    case SYS_getdents64:
      return at(1, a[2]);
    case SYS_getgroups:
      return at(1, a[0] * static_cast<long>(sizeof(gid_t)));
    case SYS_mincore:
      return at(2, (a[1] + kPage - 1) / kPage);
    case SYS_mq_getsetattr:
      return at(2, sizeof(mq_attr));
    case SYS_readlinkat:
      return at(2, a[3]);
    case SYS_stat:
    case SYS_lstat:
    case SYS_fstat:
      return at(1, kStatus);
    case SYS_newfstatat:
      return at(2, kStatus);
    default:
      return {};
  }
}

void before_scattered_writes(const iovec* parts, std::size_t count) {
  constexpr std::size_t kMaxParts = 1024;  // the kernel's own limit
  if (count == 0 || count > kMaxParts || !can_read(parts, count * sizeof(iovec))) return;
  for (std::size_t i = 0; i < count; ++i)
    before_kernel_writes(reinterpret_cast<std::uintptr_t>(parts[i].iov_base), parts[i].iov_len);
}

// What does not fit where it is to go is lost with its message.
void before_message(const msghdr* message) {
  if (!can_read(message)) return;
  before_scattered_writes(message->msg_iov, message->msg_iovlen);
  before_kernel_writes(reinterpret_cast<std::uintptr_t>(message), sizeof *message);
  before_kernel_writes(reinterpret_cast<std::uintptr_t>(message->msg_control), message->msg_controllen);
  before_kernel_writes(reinterpret_cast<std::uintptr_t>(message->msg_name), message->msg_namelen);
}

}  // namespace

void before_kernel_answers(const SystemCall& call) {
  if (!on_snapshot()) return;
  const KernelOutput output = output_of(call);
  before_kernel_writes(output.address, output.bytes);
  switch (call.number) {
    case SYS_readv:
    case SYS_preadv:
    case SYS_preadv2:
      before_scattered_writes(reinterpret_cast<const iovec*>(call.arguments[1]),
                              static_cast<std::size_t>(call.arguments[2]));
      break;
    case SYS_recvmsg:
      before_message(reinterpret_cast<const msghdr*>(call.arguments[1]));
      break;
    case SYS_recvmmsg: {
      constexpr unsigned kMaxMessages = 1024;
      const auto* messages = reinterpret_cast<const mmsghdr*>(call.arguments[1]);
      const auto count = static_cast<unsigned>(call.arguments[2]);
      for (unsigned i = 0; i < count && i < kMaxMessages && can_read(&messages[i]); ++i) {
        before_message(&messages[i].msg_hdr);
        before_kernel_writes(reinterpret_cast<std::uintptr_t>(&messages[i]), sizeof messages[i]);
      }
      break;
    }
    default:
      break;
  }
}

}  // namespace heddle::runtime
