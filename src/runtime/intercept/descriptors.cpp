// libc's functions on descriptors: the same as their system calls (calls/), but here the caller is known, and no SIGSYS
// is needed.
//
// To add one: a line in the table below; its name in real.def and tools/exported_symbols.txt.
#include <fcntl.h>
#include <mqueue.h>
#include <poll.h>
#include <stdarg.h>
#include <sys/epoll.h>
#include <sys/file.h>
#include <sys/msg.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include "runtime/calls/dispatch.h"
#include "runtime/calls/sanitizer.h"
#include "runtime/intercept/intercept.h"
#include "runtime/state/stacks.h"
#include "runtime/state/up_calls.h"
#include "runtime/system_calls/attempt.h"
#include "runtime/system_calls/perform.h"
#include "runtime/world/inputs.h"
#include "runtime/world/private_files.h"

using namespace heddle;
using namespace heddle::runtime;

namespace heddle::runtime {
namespace {

// With one thread only nothing is scheduled: the kernel may block, as it would.
bool schedules() { return controlled() && runtime.mode == Mode::Branching && !is_foreign_thread(); }

bool has_no_threads_yet() { return runtime.mode == Mode::Alone; }

long as_argument(const volatile void* value) { return reinterpret_cast<long>(value); }
long as_argument(int value) { return value; }
long as_argument(long value) { return value; }
long as_argument(unsigned value) { return value; }
long as_argument(std::size_t value) { return static_cast<long>(value); }

template <typename... Arguments>
long call_as(long number, Site site, Arguments... arguments) {
  const SystemCall call{number, {as_argument(arguments)...}};
  if (is_sanitizers_own(number, site)) return as_libc_returns(make_system_call(call));
  return as_libc_returns(is_modelled(call) ? perform_system_call(call, site) : pass(call));
}

// The system's random numbers are fixed there, too: programs seed their hashes with them.
template <typename... Arguments>
bool draws_before_threads(ssize_t& drawn, long number, Arguments... arguments) {
  if (!controlled() || !has_no_threads_yet()) return false;
  long result = 0;
  if (!answer_input({number, {as_argument(arguments)...}}, result)) return false;
  drawn = as_libc_returns(result);
  return true;
}

}  // namespace
}  // namespace heddle::runtime

// HEDDLE_WRAP(result, function, system call, (parameters), arguments of the function)(arguments of the system call)
#define HEDDLE_WRAP(type, name, number, parameters, arguments, ...)              \
  HEDDLE_EXPORT type name parameters {                                           \
    if (!schedules()) return real::name arguments;                               \
    return static_cast<type>(call_as(SYS_##number, HEDDLE_CALLER, __VA_ARGS__)); \
  }

HEDDLE_WRAP(ssize_t, write, write, (int d, const void* b, size_t n), (d, b, n), d, b, n)
HEDDLE_WRAP(ssize_t, writev, writev, (int d, const iovec* v, int n), (d, v, n), d, v, n)
HEDDLE_WRAP(ssize_t, recv, recvfrom, (int d, void* b, size_t n, int f), (d, b, n, f), d, b, n, f, 0, 0)
HEDDLE_WRAP(ssize_t, recvfrom, recvfrom, (int d, void* b, size_t n, int f, sockaddr* a, socklen_t* s),
            (d, b, n, f, a, s), d, b, n, f, a, s)
HEDDLE_WRAP(ssize_t, recvmsg, recvmsg, (int d, msghdr* m, int f), (d, m, f), d, m, f)
HEDDLE_WRAP(int, recvmmsg, recvmmsg, (int d, mmsghdr* m, unsigned n, int f, timespec* t), (d, m, n, f, t), d, m, n, f,
            t)
HEDDLE_WRAP(ssize_t, send, sendto, (int d, const void* b, size_t n, int f), (d, b, n, f), d, b, n, f, 0, 0)
HEDDLE_WRAP(ssize_t, sendto, sendto, (int d, const void* b, size_t n, int f, const sockaddr* a, socklen_t s),
            (d, b, n, f, a, s), d, b, n, f, a, s)
HEDDLE_WRAP(ssize_t, sendmsg, sendmsg, (int d, const msghdr* m, int f), (d, m, f), d, m, f)
HEDDLE_WRAP(int, sendmmsg, sendmmsg, (int d, mmsghdr* m, unsigned n, int f), (d, m, n, f), d, m, n, f)
HEDDLE_WRAP(int, accept, accept, (int d, sockaddr* a, socklen_t* s), (d, a, s), d, a, s)
HEDDLE_WRAP(int, accept4, accept4, (int d, sockaddr* a, socklen_t* s, int f), (d, a, s, f), d, a, s, f)
HEDDLE_WRAP(int, connect, connect, (int d, const sockaddr* a, socklen_t s), (d, a, s), d, a, s)
HEDDLE_WRAP(ssize_t, sendfile, sendfile, (int o, int i, off_t* at, size_t n), (o, i, at, n), o, i, at, n)
HEDDLE_WRAP(ssize_t, sendfile64, sendfile, (int o, int i, off64_t* at, size_t n), (o, i, at, n), o, i, at, n)
HEDDLE_WRAP(ssize_t, splice, splice, (int i, off64_t* x, int o, off64_t* y, size_t n, unsigned f), (i, x, o, y, n, f),
            i, x, o, y, n, f)
HEDDLE_WRAP(ssize_t, tee, tee, (int i, int o, size_t n, unsigned f), (i, o, n, f), i, o, n, f)
HEDDLE_WRAP(ssize_t, vmsplice, vmsplice, (int d, const iovec* v, size_t n, unsigned f), (d, v, n, f), d, v, n, f)
HEDDLE_WRAP(int, creat, creat, (const char* path, mode_t mode), (path, mode), path, mode)
HEDDLE_WRAP(int, creat64, creat, (const char* path, mode_t mode), (path, mode), path, mode)
HEDDLE_WRAP(int, poll, poll, (pollfd * p, nfds_t n, int t), (p, n, t), p, n, t)
HEDDLE_WRAP(int, epoll_wait, epoll_wait, (int d, epoll_event* e, int n, int t), (d, e, n, t), d, e, n, t)
HEDDLE_WRAP(int, epoll_pwait, epoll_pwait, (int d, epoll_event* e, int n, int t, const sigset_t* m), (d, e, n, t, m), d,
            e, n, t, m, 8)
HEDDLE_WRAP(int, epoll_ctl, epoll_ctl, (int d, int c, int o, epoll_event* e), (d, c, o, e), d, c, o, e)
HEDDLE_WRAP(int, close, close, (int d), (d), d)
HEDDLE_WRAP(int, dup, dup, (int d), (d), d)
HEDDLE_WRAP(int, dup2, dup2, (int d, int to), (d, to), d, to)
HEDDLE_WRAP(int, dup3, dup3, (int d, int to, int f), (d, to, f), d, to, f)
HEDDLE_WRAP(int, pipe, pipe, (int p[2]), (p), p)
HEDDLE_WRAP(int, pipe2, pipe2, (int p[2], int f), (p, f), p, f)
HEDDLE_WRAP(int, listen, listen, (int d, int n), (d, n), d, n)
HEDDLE_WRAP(int, bind, bind, (int d, const sockaddr* a, socklen_t s), (d, a, s), d, a, s)
HEDDLE_WRAP(int, shutdown, shutdown, (int d, int how), (d, how), d, how)
HEDDLE_WRAP(int, mq_timedsend, mq_timedsend, (mqd_t q, const char* b, size_t n, unsigned p, const timespec* t),
            (q, b, n, p, t), q, b, n, p, t)
HEDDLE_WRAP(int, mq_send, mq_timedsend, (mqd_t q, const char* b, size_t n, unsigned p), (q, b, n, p), q, b, n, p, 0)
HEDDLE_WRAP(ssize_t, mq_timedreceive, mq_timedreceive, (mqd_t q, char* b, size_t n, unsigned* p, const timespec* t),
            (q, b, n, p, t), q, b, n, p, t)
HEDDLE_WRAP(ssize_t, mq_receive, mq_timedreceive, (mqd_t q, char* b, size_t n, unsigned* p), (q, b, n, p), q, b, n, p,
            0)
HEDDLE_WRAP(int, msgsnd, msgsnd, (int q, const void* m, size_t n, int f), (q, m, n, f), q, m, n, f)
HEDDLE_WRAP(ssize_t, msgrcv, msgrcv, (int q, void* m, size_t n, long t, int f), (q, m, n, t, f), q, m, n, t, f)
HEDDLE_WRAP(int, semop, semop, (int s, sembuf* o, size_t n), (s, o, n), s, o, n)
HEDDLE_WRAP(int, semtimedop, semtimedop, (int s, sembuf* o, size_t n, const timespec* t), (s, o, n, t), s, o, n, t)
HEDDLE_WRAP(int, flock, flock, (int d, int how), (d, how), d, how)

// Which two are a pair the kernel does not tell later.
HEDDLE_EXPORT int socketpair(int domain, int type, int protocol, int ends[2]) {
  if (schedules()) return static_cast<int>(call_as(SYS_socketpair, HEDDLE_CALLER, domain, type, protocol, ends));
  const int result = real::socketpair(domain, type, protocol, ends);
  if (result == 0 && has_no_threads_yet()) note_socket_pair(ends[0], ends[1]);
  return result;
}

HEDDLE_EXPORT ssize_t read(int descriptor, void* buffer, size_t bytes) {
  if (schedules()) return call_as(SYS_read, HEDDLE_CALLER, descriptor, buffer, bytes);
  ssize_t drawn = 0;
  if (draws_before_threads(drawn, SYS_read, descriptor, buffer, bytes)) return drawn;
  return real::read(descriptor, buffer, bytes);
}

HEDDLE_EXPORT ssize_t readv(int descriptor, const iovec* parts, int count) {
  if (schedules()) return call_as(SYS_readv, HEDDLE_CALLER, descriptor, parts, count);
  ssize_t drawn = 0;
  if (draws_before_threads(drawn, SYS_readv, descriptor, parts, count)) return drawn;
  return real::readv(descriptor, parts, count);
}

// The kernel changes the time limit; libc's functions do not, or in their own form.
HEDDLE_EXPORT int ppoll(pollfd* entries, nfds_t count, const timespec* limit, const sigset_t* mask) {
  if (!schedules()) return real::ppoll(entries, count, limit, mask);
  return static_cast<int>(call_as(SYS_ppoll, HEDDLE_CALLER, entries, count, limit, mask, 8));
}

HEDDLE_EXPORT int select(int count, fd_set* reads, fd_set* writes, fd_set* excepts, timeval* limit) {
  if (!schedules()) return real::select(count, reads, writes, excepts, limit);
  if (limit != nullptr) read_as_libc_does(&limit->tv_sec);
  return static_cast<int>(call_as(SYS_select, HEDDLE_CALLER, count, reads, writes, excepts, limit));
}

HEDDLE_EXPORT int pselect(int count, fd_set* reads, fd_set* writes, fd_set* excepts, const timespec* limit,
                          const sigset_t* mask) {
  if (!schedules()) return real::pselect(count, reads, writes, excepts, limit, mask);
  timespec left = limit != nullptr ? *limit : timespec();
  const struct {
    const sigset_t* mask;
    std::size_t size;
  } masked{mask, sizeof(std::uint64_t)};
  return static_cast<int>(
      call_as(SYS_pselect6, HEDDLE_CALLER, count, reads, writes, excepts, limit != nullptr ? &left : nullptr, &masked));
}

HEDDLE_EXPORT int fcntl(int descriptor, int command, ...) {
  va_list list;
  va_start(list, command);
  void* const argument = va_arg(list, void*);
  va_end(list);
  if (!schedules()) return real::fcntl(descriptor, command, argument);
  return static_cast<int>(call_as(SYS_fcntl, HEDDLE_CALLER, descriptor, command, argument));
}

HEDDLE_EXPORT int fcntl64(int descriptor, int command, ...) {
  va_list list;
  va_start(list, command);
  void* const argument = va_arg(list, void*);
  va_end(list);
  if (!schedules()) return real::fcntl64(descriptor, command, argument);
  return static_cast<int>(call_as(SYS_fcntl, HEDDLE_CALLER, descriptor, command, argument));
}

// HEDDLE_WRAP_OPEN(function, (parameters), directory, path, flags, arguments of the function but the mode)
#define HEDDLE_WRAP_OPEN(name, parameters, directory, path, flags, ...)                        \
  HEDDLE_EXPORT int name parameters {                                                          \
    mode_t mode = 0;                                                                           \
    if ((flags & (O_CREAT | __O_TMPFILE)) != 0) {                                              \
      va_list list;                                                                            \
      va_start(list, flags);                                                                   \
      mode = va_arg(list, mode_t);                                                             \
      va_end(list);                                                                            \
    }                                                                                          \
    if (!schedules()) return real::name(__VA_ARGS__, mode);                                    \
    return static_cast<int>(call_as(SYS_openat, HEDDLE_CALLER, directory, path, flags, mode)); \
  }

HEDDLE_WRAP_OPEN(open, (const char* path, int flags, ...), AT_FDCWD, path, flags, path, flags)
HEDDLE_WRAP_OPEN(open64, (const char* path, int flags, ...), AT_FDCWD, path, flags, path, flags)
HEDDLE_WRAP_OPEN(openat, (int directory, const char* path, int flags, ...), directory, path, flags, directory, path,
                 flags)
HEDDLE_WRAP_OPEN(openat64, (int directory, const char* path, int flags, ...), directory, path, flags, directory, path,
                 flags)
