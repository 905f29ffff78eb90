// open() of a named pipe. The kernel makes it wait until the other end is opened; here the non-blocking call is made:
//   to read   succeeds at once and counts as a reader from then on, as a waiting reader does. Then the task waits for a
//             writer.
//   to write  fails while there is no reader. A descriptor of another kind reserves the number, and the open is tried
//             again after each call of anybody: so the pipe has its writer from the moment it has a reader.
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "runtime/calls/dispatch.h"
#include "runtime/calls/files.h"
#include "runtime/os/system_call.h"
#include "runtime/snapshot/user_memory.h"
#include "runtime/state/operation.h"
#include "runtime/state/runtime.h"
#include "runtime/state/up_calls.h"
#include "runtime/system_calls/attempt.h"
#include "runtime/system_calls/perform.h"

namespace heddle::runtime {
namespace {

struct Request {
  long directory = AT_FDCWD;
  long path = 0;
  long flags = 0;
};

// False: it is not for us to read, the kernel says what is wrong.
bool understand(const SystemCall& call, Request& request) {
  const long* const a = call.arguments;
  switch (call.number) {
    case SYS_open:
      request = {AT_FDCWD, a[0], a[1]};
      return true;
    case SYS_creat:
      request = {AT_FDCWD, a[0], O_CREAT | O_WRONLY | O_TRUNC};
      return true;
    case SYS_openat2:
      if (a[3] != sizeof(open_how) || !is_readable(a[2], sizeof(open_how))) return false;
      request = {a[0], a[1], static_cast<long>(reinterpret_cast<const open_how*>(a[2])->flags)};
      return true;
    default:
      request = {a[0], a[1], a[2]};
      return true;
  }
}

bool leads_to_pipe(const Request& request, struct stat& status) {
  const long links = (request.flags & O_NOFOLLOW) != 0 ? AT_SYMLINK_NOFOLLOW : 0;
  return os::system_call(SYS_newfstatat, static_cast<int>(request.directory), request.path,
                         reinterpret_cast<long>(&status), links) == 0 &&
         S_ISFIFO(status.st_mode);
}

bool waits_for_partner(const Request& request) {
  return (request.flags & (O_NONBLOCK | O_PATH)) == 0 && (request.flags & O_ACCMODE) != O_RDWR;
}

// The same call, without waiting.
long open_at_once(const SystemCall& call, const Request& request) {
  if (call.number != SYS_openat2)
    return make_system_call(
        {SYS_openat, {static_cast<int>(request.directory), request.path, request.flags | O_NONBLOCK, 0600}});
  open_how how = *reinterpret_cast<const open_how*>(call.arguments[2]);
  how.flags |= O_NONBLOCK;
  return make_system_call({SYS_openat2, {request.directory, request.path, reinterpret_cast<long>(&how), sizeof how}});
}

// What is being opened, by a descriptor that has its number already.
struct Opening {
  long descriptor = -1;
  long flags = 0;
  ObjectId object = kNoObject;
  bool partner_came = false;  // it does not matter whether it is still there
};

WaitingOperation opening_step(ObjectId object, Site site) {
  return {OperationKind::DescriptorOpen, object, site, kNoDeadline, restarted_by_signals(kNoDeadline)};
}

Opening& opening_of(const Waiting& waiting) {
  return *const_cast<Opening*>(static_cast<const Opening*>(waiting.data));  // the table of waits keeps it unchanged
}

bool hangs_up(long descriptor) {
  pollfd entry{static_cast<int>(descriptor), 0, 0};
  return os::system_call(SYS_poll, reinterpret_cast<long>(&entry), 1, 0) > 0 && (entry.revents & POLLHUP) != 0;
}

// A read to nowhere takes nothing: it says whether there is data (-EFAULT), a writer only (-EAGAIN), or nobody (0).
bool has_writer(const Waiting& waiting) {
  Opening& opening = opening_of(waiting);
  if (opening.partner_came) return true;
  constexpr long kNowhere = 1;
  const long answer = os::system_call(SYS_read, opening.descriptor, kNowhere, 1);
  // Data may be an earlier writer's, left by another reader: then that writer's hang-up shows.
  const bool is_there = answer == -EAGAIN || (answer == -EFAULT && !any_descriptor_of(opening.object, hangs_up));
  opening.partner_came = is_there || hangs_up(opening.descriptor);  // or it has left again since we opened
  return opening.partner_came;
}

bool has_reader(const Waiting& waiting) {
  Opening& opening = opening_of(waiting);
  if (opening.partner_came) return true;
  char path[40];
  snprintf(path, sizeof path, "/proc/self/fd/%ld", opening.descriptor);
  constexpr long kKept = O_ACCMODE | O_CLOEXEC | O_APPEND | O_DIRECT | O_ASYNC;
  const long made =
      os::system_call(SYS_openat, AT_FDCWD, reinterpret_cast<long>(path), (opening.flags & kKept) | O_NONBLOCK);
  if (made < 0) return false;
  os::system_call(SYS_dup3, made, opening.descriptor, opening.flags & O_CLOEXEC);
  os::system_call(SYS_close, made);
  opening.partner_came = true;
  return true;
}

void let_it_block(long descriptor) {
  const long flags = os::system_call(SYS_fcntl, descriptor, F_GETFL);
  if (flags >= 0) os::system_call(SYS_fcntl, descriptor, F_SETFL, flags & ~O_NONBLOCK);
}

// Until somebody opens the other end: 0, or EINTR.
int wait_for_partner(Opening& opening, Site site) {
  Waiting waiting;
  waiting.ready = (opening.flags & O_ACCMODE) == O_WRONLY ? has_reader : has_writer;
  waiting.outside = ended_from_outside(opening.descriptor) != Outside::Never;
  waiting.given_up = static_cast<int>(opening.descriptor);
  waiting.data = &opening;
  if (waiting.ready(waiting)) return 0;
  return wait_until_ready(waiting, opening_step(opening.object, site));
}

long open_pipe(const SystemCall& call, const Request& request, ObjectId object, Site site) {
  const bool writes = (request.flags & O_ACCMODE) == O_WRONLY;
  Opening opening;
  opening.flags = request.flags;
  opening.object = object;
  opening.descriptor = open_at_once(call, request);
  if (writes && opening.descriptor == -ENXIO)
    opening.descriptor = os::system_call(SYS_openat, static_cast<int>(request.directory), request.path,
                                         O_PATH | (request.flags & (O_CLOEXEC | O_NOFOLLOW)));
  else
    opening.partner_came = writes;
  if (opening.descriptor < 0) return opening.descriptor;
  forget_descriptor(opening.descriptor);
  after_call();  // who waits for us can go on
  const int ended = wait_for_partner(opening, site);
  if (ended != 0) {
    forget_descriptor(opening.descriptor);
    os::system_call(SYS_close, opening.descriptor);
  } else {
    let_it_block(opening.descriptor);
    forget_descriptor(opening.descriptor);  // it may have been of another kind
    object_of(opening.descriptor, site);
  }
  after_call();
  return ended != 0 ? -ended : opening.descriptor;
}

}  // namespace

long perform_open(const SystemCall& call, Site site) {
  Request request;
  struct stat status {};
  if (!understand(call, request) || !leads_to_pipe(request, status)) return pass(call);
  judge_effect(call);
  const ObjectId object = object_of_named_pipe(status.st_dev, status.st_ino, site);
  take_step_on(opening_step(object, site));
  if (waits_for_partner(request)) return open_pipe(call, request, object, site);
  const long result = make_system_call(call);
  if (result >= 0) {
    forget_descriptor(result);
    object_of(result, site);
  }
  after_call();
  return result;
}

}  // namespace heddle::runtime
