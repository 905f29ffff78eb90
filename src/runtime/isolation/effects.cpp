// See effects.h. Whatever is not listed counts as an effect that takes a process of its own to undo: an unknown call
// makes an execution slower, never wrong.
#include "runtime/isolation/effects.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "runtime/descriptors.h"
#include "runtime/isolation/dispatch.h"
#include "runtime/isolation/memory_map.h"
#include "runtime/isolation/snapshot.h"
#include "runtime/isolation/undo.h"
#include "runtime/os/system_call.h"
#include "runtime/runtime.h"

namespace heddle::runtime {
namespace {

constexpr SystemCallEffect kNone{};
constexpr SystemCallEffect kOpens{EffectLevel::Fork, "opens, closes or moves a descriptor"};
constexpr SystemCallEffect kOwnDescriptor{EffectLevel::Fork, "uses a descriptor"};
constexpr SystemCallEffect kEarlierDescriptor{EffectLevel::Exec, "uses a descriptor that was open before the start"};
constexpr SystemCallEffect kFiles{EffectLevel::Exec, "changes files"};
constexpr SystemCallEffect kProcesses{EffectLevel::Fork, "starts a process"};
constexpr SystemCallEffect kSharedMemory{EffectLevel::Fork, "shares memory"};
constexpr SystemCallEffect kEarlierMemory{EffectLevel::Fork, "changes mappings that were there before the start"};
constexpr SystemCallEffect kTimers{EffectLevel::Fork, "asks for signals"};
constexpr SystemCallEffect kPersistent{EffectLevel::Exec, "uses objects of the system that outlive the process"};
constexpr SystemCallEffect kUnknown{EffectLevel::Fork, "asks the system for something that memory can't undo"};

constexpr int kDescriptors = 1024;
HEDDLE_PERMANENT std::uint64_t open_before[kDescriptors / 64] = {};

bool was_open_before(long descriptor) {
  if (descriptor < 0) return false;
  if (descriptor >= kDescriptors) return true;  // not known: assume the worse
  return (open_before[descriptor / 64] >> (descriptor % 64) & 1) != 0;
}

struct stat status_of(long descriptor) {
  struct stat status {};
  os::system_call(SYS_fstat, descriptor, reinterpret_cast<long>(&status));
  return status;
}

// /dev/null, zero, full, random: nothing is left behind in them.
bool keeps_nothing(const struct stat& status) { return S_ISCHR(status.st_mode) && major(status.st_rdev) == 1; }

SystemCallEffect reads(long descriptor) {
  const struct stat status = status_of(descriptor);
  if (keeps_nothing(status)) return kNone;
  if (!was_open_before(descriptor)) return kOwnDescriptor;
  // descriptors.h: the offset of a regular file is put back before each execution.
  return S_ISREG(status.st_mode) ? kOwnDescriptor : kEarlierDescriptor;
}

SystemCallEffect writes(long descriptor) {
  if (is_captured_output(static_cast<int>(descriptor)) || keeps_nothing(status_of(descriptor))) return kNone;
  return was_open_before(descriptor) ? kEarlierDescriptor : kOwnDescriptor;
}

SystemCallEffect uses(long descriptor) { return was_open_before(descriptor) ? kEarlierDescriptor : kOwnDescriptor; }

SystemCallEffect opens(long directory, long path, long flags) {
  if ((flags & (O_ACCMODE | O_CREAT | O_TRUNC)) == O_RDONLY) return kOpens;
  struct stat status {};
  const bool exists = os::system_call(SYS_newfstatat, directory, path, reinterpret_cast<long>(&status), 0) == 0;
  return exists && !S_ISREG(status.st_mode) ? kOpens : kFiles;
}

SystemCallEffect controls(const SystemCall& call) {  // fcntl
  switch (call.arguments[1]) {
    case F_GETFD:
    case F_GETFL:
    case F_GETOWN:
    case F_GETLK:
    case F_GET_SEALS:
    case F_GETPIPE_SZ:
      return kNone;
    case F_SETFD:
    case F_DUPFD:
    case F_DUPFD_CLOEXEC:
      return kOpens;
    default:
      return uses(call.arguments[0]);
  }
}

SystemCallEffect device_control(const SystemCall& call) {  // ioctl
  switch (static_cast<unsigned long>(call.arguments[1])) {
    case TCGETS:
    case TIOCGWINSZ:
    case FIONREAD:
      return kNone;
    default:
      return uses(call.arguments[0]);
  }
}

SystemCallEffect maps(const SystemCall& call) {
  const bool shared = (call.arguments[3] & MAP_SHARED) != 0;
  const bool fixed = (call.arguments[3] & MAP_FIXED) != 0;
  if (shared) return kSharedMemory;
  if (fixed && was_mapped_before(static_cast<std::uintptr_t>(call.arguments[0]),
                                 static_cast<std::size_t>(call.arguments[1])))
    return kEarlierMemory;
  return kNone;
}

SystemCallEffect remaps(long address, long bytes) {
  const bool before = was_mapped_before(static_cast<std::uintptr_t>(address), static_cast<std::size_t>(bytes));
  return before ? kEarlierMemory : kNone;
}

SystemCallEffect advises(const SystemCall& call) {
  const long advice = call.arguments[2];
  const bool drops = advice == MADV_DONTNEED || advice == MADV_FREE || advice == MADV_REMOVE;
  return drops ? remaps(call.arguments[0], call.arguments[1]) : kNone;
}

SystemCallEffect moves_break(long to) {
  return to != 0 && on_snapshot() && static_cast<std::uintptr_t>(to) < break_before() ? kEarlierMemory : kNone;
}

SystemCallEffect sends_signal(long process, long signal) {
  const bool to_itself = process == os::process_id() || process == os::system_call(SYS_gettid);
  if (!to_itself) return {EffectLevel::Fork, "signals others"};
  return is_blocked_in_program(signal) ? SystemCallEffect{EffectLevel::Fork, "leaves a signal pending"} : kNone;
}

SystemCallEffect process_control(long option) {
  switch (option) {
    case PR_GET_NAME:
    case PR_GET_DUMPABLE:
    case PR_GET_PDEATHSIG:
    case PR_GET_NO_NEW_PRIVS:
    case PR_GET_SECCOMP:
    case PR_SET_VMA:
      return kNone;
    default:
      return kUnknown;
  }
}

bool has_network_port(int descriptor) {
  sockaddr_in6 address{};  // the port is where it is in a sockaddr_in
  socklen_t size = sizeof address;
  const long result = os::system_call(SYS_getsockname, descriptor, reinterpret_cast<long>(&address),
                                      reinterpret_cast<long>(&size));
  if (result != 0) return false;
  return (address.sin6_family == AF_INET || address.sin6_family == AF_INET6) && address.sin6_port != 0;
}

}  // namespace

void note_open_descriptors() {
  for (int descriptor = 0; descriptor < kDescriptors; ++descriptor) {
    if (os::system_call(SYS_fcntl, descriptor, F_GETFD) < 0) continue;
    open_before[descriptor / 64] |= std::uint64_t{1} << (descriptor % 64);
    if (has_network_port(descriptor)) runtime.shared->status.outside_effects.store(1);
  }
}

SystemCallEffect effect_of(const SystemCall& call) {
  const long* const a = call.arguments;
  switch (call.number) {
    // Answers, and what the process alone sees. What can be undone of it is in undo.h.
    case SYS_getpid:
    case SYS_gettid:
    case SYS_getppid:
    case SYS_getpgid:
    case SYS_getpgrp:
    case SYS_getsid:
    case SYS_getuid:
    case SYS_geteuid:
    case SYS_getgid:
    case SYS_getegid:
    case SYS_getresuid:
    case SYS_getresgid:
    case SYS_getgroups:
    case SYS_uname:
    case SYS_sysinfo:
    case SYS_getrusage:
    case SYS_times:
    case SYS_getcpu:
    case SYS_getcwd:
    case SYS_readlink:
    case SYS_readlinkat:
    case SYS_access:
    case SYS_faccessat:
    case SYS_faccessat2:
    case SYS_stat:
    case SYS_lstat:
    case SYS_fstat:
    case SYS_newfstatat:
    case SYS_statx:
    case SYS_statfs:
    case SYS_fstatfs:
    case SYS_getrandom:
    case SYS_clock_gettime:
    case SYS_clock_getres:
    case SYS_gettimeofday:
    case SYS_time:
    case SYS_getitimer:
    case SYS_getrlimit:
    case SYS_sched_yield:
    case SYS_sched_getaffinity:
    case SYS_sched_getparam:
    case SYS_sched_getscheduler:
    case SYS_sched_get_priority_max:
    case SYS_sched_get_priority_min:
    case SYS_getpriority:
    case SYS_get_robust_list:
    case SYS_rt_sigaction:
    case SYS_rt_sigprocmask:
    case SYS_rt_sigpending:
    case SYS_rt_sigreturn:
    case SYS_sigaltstack:
    case SYS_nanosleep:
    case SYS_clock_nanosleep:
    case SYS_pause:
    case SYS_futex:
    case SYS_membarrier:
    case SYS_mincore:
    case SYS_exit_group:
      return kNone;
    case SYS_prlimit64:
      return a[2] == 0 ? kNone : kUnknown;
    case SYS_poll:
      return a[1] == 0 ? kNone : kOwnDescriptor;
    case SYS_lseek:
      if (a[1] == 0 && a[2] == SEEK_CUR) return kNone;
      return reads(a[0]);
    case SYS_prctl:
      return process_control(a[0]);
    case SYS_kill:
    case SYS_tkill:
    case SYS_rt_sigqueueinfo:
      return sends_signal(a[0], a[1]);
    case SYS_tgkill:
    case SYS_rt_tgsigqueueinfo:
      return sends_signal(a[0], a[2]);
    // Memory.
    case SYS_mmap:
      return maps(call);
    case SYS_munmap:
    case SYS_mprotect:
    case SYS_pkey_mprotect:
    case SYS_mremap:
      return remaps(a[0], a[1]);
    case SYS_madvise:
      return advises(call);
    case SYS_brk:
      return moves_break(a[0]);
    // Descriptors.
    case SYS_read:
    case SYS_pread64:
    case SYS_readv:
    case SYS_preadv:
    case SYS_preadv2:
    case SYS_getdents64:
      return reads(a[0]);
    case SYS_write:
    case SYS_writev:
      return writes(a[0]);
    case SYS_pwrite64:
    case SYS_pwritev:
    case SYS_pwritev2:
    case SYS_ftruncate:
    case SYS_fallocate:
    case SYS_fsync:
    case SYS_fdatasync:
    case SYS_fchmod:
    case SYS_fchown:
    case SYS_flock:
    case SYS_epoll_ctl:
    case SYS_epoll_wait:
    case SYS_epoll_pwait:
    case SYS_timerfd_settime:
    case SYS_sendto:
    case SYS_sendmsg:
    case SYS_sendmmsg:
    case SYS_recvfrom:
    case SYS_recvmsg:
    case SYS_recvmmsg:
    case SYS_connect:
    case SYS_listen:
    case SYS_accept:
    case SYS_accept4:
    case SYS_shutdown:
    case SYS_setsockopt:
    case SYS_sendfile:
    case SYS_splice:
    case SYS_copy_file_range:
      return uses(a[0]);
    case SYS_bind:
      runtime.shared->status.outside_effects.store(1);
      return uses(a[0]);
    case SYS_fcntl:
      return controls(call);
    case SYS_ioctl:
      return device_control(call);
    case SYS_open:
      return opens(AT_FDCWD, a[0], a[1]);
    case SYS_openat:
      return opens(a[0], a[1], a[2]);
    case SYS_creat:
      return opens(AT_FDCWD, a[0], O_CREAT | O_WRONLY | O_TRUNC);
    case SYS_close:
    case SYS_close_range:
    case SYS_dup:
    case SYS_dup2:
    case SYS_dup3:
    case SYS_pipe:
    case SYS_pipe2:
    case SYS_socket:
    case SYS_socketpair:
    case SYS_eventfd2:
    case SYS_epoll_create1:
    case SYS_timerfd_create:
    case SYS_signalfd4:
    case SYS_memfd_create:
    case SYS_pidfd_open:
      return kOpens;
    // Files.
    case SYS_unlink:
    case SYS_unlinkat:
    case SYS_rename:
    case SYS_renameat:
    case SYS_renameat2:
    case SYS_mkdir:
    case SYS_mkdirat:
    case SYS_rmdir:
    case SYS_link:
    case SYS_linkat:
    case SYS_symlink:
    case SYS_symlinkat:
    case SYS_truncate:
    case SYS_chmod:
    case SYS_fchmodat:
    case SYS_chown:
    case SYS_lchown:
    case SYS_fchownat:
    case SYS_utimensat:
    case SYS_mknod:
    case SYS_mknodat:
      return kFiles;
    // Processes, timers, objects of the system.
    case SYS_clone:
    case SYS_clone3:
    case SYS_fork:
    case SYS_vfork:
    case SYS_execve:
    case SYS_execveat:
    case SYS_wait4:
    case SYS_waitid:
      return kProcesses;
    case SYS_timer_create:
    case SYS_setitimer:
    case SYS_alarm:
      return kTimers;
    case SYS_shmget:
    case SYS_shmat:
    case SYS_semget:
    case SYS_semop:
    case SYS_semtimedop:
    case SYS_msgget:
    case SYS_msgsnd:
    case SYS_msgrcv:
    case SYS_mq_open:
    case SYS_mq_unlink:
      return kPersistent;
    default:
      return kUnknown;
  }
}

KernelOutput output_of(const SystemCall& call) {
  const long* const a = call.arguments;
  const auto at = [&](int argument, long bytes) {
    return KernelOutput{static_cast<std::uintptr_t>(a[argument]), bytes > 0 ? static_cast<std::size_t>(bytes) : 0};
  };
  constexpr long kStatus = 256;  // struct stat, statx, statfs, utsname pieces: more is retried by the caller
  switch (call.number) {
    case SYS_getrandom:
    case SYS_getcwd:
      return at(0, a[1]);
    case SYS_read:
    case SYS_pread64:
    case SYS_readlink:
      return at(1, a[2]);
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

namespace {

bool look_for_sharing(const Mapping& mapping, void* found) {
  const auto own = reinterpret_cast<std::uintptr_t>(runtime.shared);
  const bool ours = mapping.begin >= own && mapping.begin < own + sizeof(Shared);
  if (!mapping.shared || !mapping.writable || ours) return true;
  *static_cast<bool*>(found) = true;
  return false;
}

struct Name {
  long number;
  const char* text;
};
#define HEDDLE_NAME(name) {SYS_##name, #name}
constexpr Name kNames[] = {
    HEDDLE_NAME(read),          HEDDLE_NAME(write),       HEDDLE_NAME(open),         HEDDLE_NAME(openat),
    HEDDLE_NAME(close),         HEDDLE_NAME(lseek),       HEDDLE_NAME(mmap),         HEDDLE_NAME(munmap),
    HEDDLE_NAME(mprotect),      HEDDLE_NAME(mremap),      HEDDLE_NAME(madvise),      HEDDLE_NAME(brk),
    HEDDLE_NAME(ioctl),         HEDDLE_NAME(fcntl),       HEDDLE_NAME(pread64),      HEDDLE_NAME(pwrite64),
    HEDDLE_NAME(readv),         HEDDLE_NAME(writev),      HEDDLE_NAME(pipe),         HEDDLE_NAME(pipe2),
    HEDDLE_NAME(dup),           HEDDLE_NAME(dup2),        HEDDLE_NAME(dup3),         HEDDLE_NAME(socket),
    HEDDLE_NAME(socketpair),    HEDDLE_NAME(connect),     HEDDLE_NAME(bind),         HEDDLE_NAME(listen),
    HEDDLE_NAME(accept),        HEDDLE_NAME(accept4),     HEDDLE_NAME(sendto),       HEDDLE_NAME(recvfrom),
    HEDDLE_NAME(sendmsg),       HEDDLE_NAME(recvmsg),     HEDDLE_NAME(shutdown),     HEDDLE_NAME(setsockopt),
    HEDDLE_NAME(clone),         HEDDLE_NAME(clone3),      HEDDLE_NAME(fork),         HEDDLE_NAME(vfork),
    HEDDLE_NAME(execve),        HEDDLE_NAME(wait4),       HEDDLE_NAME(waitid),       HEDDLE_NAME(kill),
    HEDDLE_NAME(tgkill),        HEDDLE_NAME(flock),       HEDDLE_NAME(fsync),        HEDDLE_NAME(ftruncate),
    HEDDLE_NAME(truncate),      HEDDLE_NAME(unlink),      HEDDLE_NAME(unlinkat),     HEDDLE_NAME(rename),
    HEDDLE_NAME(renameat2),     HEDDLE_NAME(mkdir),       HEDDLE_NAME(mkdirat),      HEDDLE_NAME(rmdir),
    HEDDLE_NAME(link),          HEDDLE_NAME(symlink),     HEDDLE_NAME(chmod),        HEDDLE_NAME(chown),
    HEDDLE_NAME(chdir),         HEDDLE_NAME(umask),       HEDDLE_NAME(prctl),        HEDDLE_NAME(poll),
    HEDDLE_NAME(ppoll),         HEDDLE_NAME(select),      HEDDLE_NAME(pselect6),     HEDDLE_NAME(epoll_create1),
    HEDDLE_NAME(epoll_ctl),     HEDDLE_NAME(epoll_wait),  HEDDLE_NAME(epoll_pwait),  HEDDLE_NAME(eventfd2),
    HEDDLE_NAME(timerfd_create), HEDDLE_NAME(timerfd_settime), HEDDLE_NAME(signalfd4), HEDDLE_NAME(timer_create),
    HEDDLE_NAME(setitimer),     HEDDLE_NAME(alarm),       HEDDLE_NAME(memfd_create), HEDDLE_NAME(shmget),
    HEDDLE_NAME(shmat),         HEDDLE_NAME(semget),      HEDDLE_NAME(semop),        HEDDLE_NAME(msgget),
    HEDDLE_NAME(mq_open),       HEDDLE_NAME(io_uring_setup), HEDDLE_NAME(getdents64), HEDDLE_NAME(setrlimit),
    HEDDLE_NAME(prlimit64),     HEDDLE_NAME(personality), HEDDLE_NAME(close_range),  HEDDLE_NAME(rt_sigtimedwait)};
#undef HEDDLE_NAME

}  // namespace

bool shares_memory() {
  bool found = false;
  for_each_mapping(look_for_sharing, &found);
  return found;
}

const char* system_call_name(long number) {
  for (const Name& name : kNames)
    if (name.number == number) return name.text;
  return "a system call that is not known by name";
}

}  // namespace heddle::runtime
