// Locks on files: flock(), and those of fcntl() and lockf(). They are the kernel's; its non-blocking call says whether
// a lock can be had now.
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>

#include "runtime/calls/dispatch.h"
#include "runtime/calls/files.h"
#include "runtime/os/system_call.h"
#include "runtime/snapshot/user_memory.h"
#include "runtime/state/process_ids.h"
#include "runtime/state/up_calls.h"
#include "runtime/system_calls/attempt.h"
#include "runtime/system_calls/perform.h"
#include "runtime/world/live_children.h"
#include "runtime/world/signals/outside.h"

namespace heddle::runtime {
namespace {

// Taken and given back: no other thread runs meanwhile. Who has asked once holds no lock any more, as the kernel has
// it.
bool flock_ready(const Waiting& waiting) {
  const auto* call = static_cast<const SystemCall*>(waiting.data);
  if (os::system_call(SYS_flock, call->arguments[0], call->arguments[1] | LOCK_NB) != 0) return false;
  os::system_call(SYS_flock, call->arguments[0], LOCK_UN);
  return true;
}

bool record_lock_ready(const Waiting& waiting) {
  const auto* call = static_cast<const SystemCall*>(waiting.data);
  struct flock lock = *reinterpret_cast<const struct flock*>(call->arguments[2]);
  const long asks = call->arguments[1] == F_OFD_SETLKW ? F_OFD_GETLK : F_GETLK;
  return os::system_call(SYS_fcntl, call->arguments[0], asks, reinterpret_cast<long>(&lock)) != 0 ||
         lock.l_type == F_UNLCK;
}

// Does another process hold a flock() lock of this file? /proc/locks has "1: FLOCK ADVISORY WRITE pid major:minor:inode
// …".
bool flock_held_outside(long descriptor) {
  struct stat status {};
  os::system_call(SYS_fstat, descriptor, reinterpret_cast<long>(&status));
  char text[16384];
  const long list = os::system_call(SYS_openat, AT_FDCWD, reinterpret_cast<long>("/proc/locks"), O_RDONLY | O_CLOEXEC);
  if (list < 0) return true;
  const long size = os::system_call(SYS_read, list, reinterpret_cast<long>(text), sizeof text - 1);
  os::system_call(SYS_close, list);
  text[size > 0 ? size : 0] = '\0';
  for (char* line = text; line != nullptr && *line != '\0';) {
    char* end = strchr(line, '\n');
    if (end != nullptr) *end = '\0';
    char kind[16], advice[16], mode[16];
    long process = 0;
    unsigned long major = 0, minor = 0, inode = 0;
    const int found =
        sscanf(line, "%*d: %15s %15s %15s %ld %lx:%lx:%lu", kind, advice, mode, &process, &major, &minor, &inode);
    if (found == 7 && strcmp(kind, "FLOCK") == 0 && inode == status.st_ino && process != os::process_id()) return true;
    line = end != nullptr ? end + 1 : nullptr;
  }
  return false;
}

// `now`: the call in the form that does not wait.
long lock(const SystemCall& call, const SystemCall& now, bool (*ready)(const Waiting&), bool outside, Site site) {
  const WaitingOperation operation = on_descriptor(OperationKind::DescriptorLock, call.arguments[0], site);
  take_step_on(operation);
  long result = make_system_call(now);
  after_call();
  if (result != -EAGAIN && result != -EACCES) return result;
  Waiting waiting;
  waiting.ready = ready;
  waiting.outside = outside;
  waiting.data = &call;
  return wait_and_attempt(waiting, operation, -EAGAIN, [&] {
    const long tried = make_system_call(now);
    return tried == -EACCES ? -EAGAIN : tried;
  });
}

long once(const SystemCall& call, OperationKind kind, Site site) {
  take_step_on(on_descriptor(kind, call.arguments[0], site));
  const long result = make_system_call(call);
  after_call();
  return result;
}

// Locks of the process itself never keep it waiting: who holds one is another process.
bool held_outside(const SystemCall& call) {
  if (call.arguments[1] == F_SETLKW) return true;
  struct flock lock = *reinterpret_cast<const struct flock*>(call.arguments[2]);
  return has_live_child() ||
         (os::system_call(SYS_fcntl, call.arguments[0], F_OFD_GETLK, reinterpret_cast<long>(&lock)) == 0 &&
          lock.l_type != F_UNLCK && lock.l_pid != -1);
}

}  // namespace

bool holds_lock(long descriptor) {
  char text[1024];
  snprintf(text, sizeof text, "/proc/self/fdinfo/%ld", descriptor);
  const long about = os::system_call(SYS_openat, AT_FDCWD, reinterpret_cast<long>(text), O_RDONLY | O_CLOEXEC);
  if (about < 0) return false;
  const long size = os::system_call(SYS_read, about, reinterpret_cast<long>(text), sizeof text - 1);
  os::system_call(SYS_close, about);
  text[size > 0 ? size : 0] = '\0';
  return strstr(text, "\nlock:") != nullptr;
}

long perform_flock(const SystemCall& call, Site site) {
  judge_effect(call);
  const long wanted = call.arguments[1];
  if ((wanted & LOCK_UN) != 0) return once(call, OperationKind::DescriptorUnlock, site);
  if ((wanted & LOCK_NB) != 0) return once(call, OperationKind::DescriptorLock, site);
  SystemCall now = call;
  now.arguments[1] |= LOCK_NB;
  return lock(call, now, flock_ready, has_live_child() || flock_held_outside(call.arguments[0]), site);
}

namespace {

// The kernel knows the process by another number than the program.
long set_owner(SystemCall call) {
  note_signalling_descriptor();
  const auto owner = static_cast<int>(call.arguments[2]);
  if (call.arguments[1] == F_SETOWN && owner > 0) call.arguments[2] = real_process_id(owner);
  return pass(call);
}

}  // namespace

long perform_file_control(const SystemCall& call, Site site) {
  const long command = call.arguments[1];
  if (command == F_SETOWN || command == F_SETOWN_EX) return set_owner(call);
  if (command == F_DUPFD || command == F_DUPFD_CLOEXEC) return perform_dup(call, site);
  if (command == F_SETFL) return perform_flags(call, site);
  const bool takes = command == F_SETLK || command == F_SETLKW || command == F_OFD_SETLK || command == F_OFD_SETLKW;
  if (!takes || !is_readable(call.arguments[2], sizeof(struct flock))) {
    if (command == F_SETPIPE_SZ) take_shared_step(call.arguments[0], site);
    const long result = pass(call);
    if (command == F_SETPIPE_SZ) after_call();
    return result;
  }
  judge_effect(call);
  const auto* wanted = reinterpret_cast<const struct flock*>(call.arguments[2]);
  if (wanted->l_type == F_UNLCK) return once(call, OperationKind::DescriptorUnlock, site);
  if (command == F_SETLK || command == F_OFD_SETLK) return once(call, OperationKind::DescriptorLock, site);
  SystemCall now = call;
  now.arguments[1] = command == F_SETLKW ? F_SETLK : F_OFD_SETLK;
  return lock(call, now, record_lock_ready, held_outside(call), site);
}

}  // namespace heddle::runtime
