// See effects.h. Whatever is not listed counts as an effect that takes a process of its own to undo: an unknown call
// makes an execution slower, never wrong.
#include "runtime/isolation/effects.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
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
constexpr SystemCallEffect kWaits{EffectLevel::Fork, "waits for descriptors"};
constexpr SystemCallEffect kFiles{EffectLevel::Exec, "changes files"};
constexpr SystemCallEffect kProcesses{EffectLevel::Fork, "starts a process"};
constexpr SystemCallEffect kChildren{EffectLevel::Fork, "waits for a process"};
constexpr SystemCallEffect kSharedMemory{EffectLevel::Fork, "shares memory"};
constexpr SystemCallEffect kEarlierMemory{EffectLevel::Fork, "changes mappings that were there before the start"};
constexpr SystemCallEffect kTimers{EffectLevel::Fork, "asks for signals"};
constexpr SystemCallEffect kPersistent{EffectLevel::Exec, "uses objects of the system that outlive the process"};
constexpr SystemCallEffect kUnknown{EffectLevel::Fork, "asks the system for something that memory can't undo"};

constexpr int kDescriptors = 1024;
// Where the program has a folder of its own, and makes the pipe there, nobody outside can open it.
constexpr SystemCallEffect kNamedPipe{EffectLevel::Exec, "opens a named pipe"};

HEDDLE_PERMANENT std::uint64_t open_before[kDescriptors / 64] = {};

bool was_open_before(long descriptor) {
  if (descriptor < 0) return false;
  if (descriptor >= kDescriptors) return true;  // not known: assume the worse
  return (open_before[descriptor / 64] >> (descriptor % 64) & 1) != 0;
}

SystemCallEffect own_descriptor(long descriptor) { return {EffectLevel::Fork, "uses", static_cast<int>(descriptor)}; }
SystemCallEffect earlier_descriptor(long descriptor) {
  return {EffectLevel::Exec, "uses", static_cast<int>(descriptor)};
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
  if (!was_open_before(descriptor)) return own_descriptor(descriptor);
  // descriptors.h: the offset of a regular file is put back before each execution.
  return S_ISREG(status.st_mode) ? own_descriptor(descriptor) : earlier_descriptor(descriptor);
}

SystemCallEffect seeks(long descriptor, long offset, long from) {
  return offset == 0 && from == SEEK_CUR ? kNone : reads(descriptor);
}

SystemCallEffect uses(long descriptor) {
  return was_open_before(descriptor) ? earlier_descriptor(descriptor) : own_descriptor(descriptor);
}

SystemCallEffect writes(long descriptor) {
  if (is_captured_output(static_cast<int>(descriptor)) || keeps_nothing(status_of(descriptor))) return kNone;
  return uses(descriptor);
}

SystemCallEffect takes_port(long descriptor) {
  runtime.shared->status.outside_effects.store(1);
  return uses(descriptor);
}

SystemCallEffect opens(long directory, long path, long flags) {
  struct stat status {};
  const bool exists = os::system_call(SYS_newfstatat, directory, path, reinterpret_cast<long>(&status), 0) == 0;
  if (exists && S_ISFIFO(status.st_mode)) return kNamedPipe;
  if ((flags & (O_ACCMODE | O_CREAT | O_TRUNC)) == O_RDONLY) return kOpens;
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
    case F_SETLK:  // held by the process, and gone with it
    case F_SETLKW:
      return own_descriptor(call.arguments[0]);
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
  if (fixed &&
      was_mapped_before(static_cast<std::uintptr_t>(call.arguments[0]), static_cast<std::size_t>(call.arguments[1])))
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

// What a descriptor leads to: "a pipe", "a socket", or a path.
void name_of(int descriptor, char* text, std::size_t capacity) {
  struct Kind {
    const char* link;
    const char* name;
  };
  constexpr Kind kKinds[] = {{"pipe:", "a pipe"},
                             {"socket:", "a socket"},
                             {"anon_inode:[eventfd]", "an eventfd"},
                             {"anon_inode:[eventpoll]", "an epoll set"},
                             {"anon_inode:[timerfd]", "a timer"},
                             {"anon_inode:[signalfd]", "a signalfd"}};
  char path[32];
  snprintf(path, sizeof path, "/proc/self/fd/%d", descriptor);
  const long length = os::system_call(SYS_readlinkat, AT_FDCWD, reinterpret_cast<long>(path),
                                      reinterpret_cast<long>(text), static_cast<long>(capacity) - 1);
  text[length > 0 ? length : 0] = '\0';
  if (length <= 0) snprintf(text, capacity, "not open");
  for (const Kind& kind : kKinds)
    if (strncmp(text, kind.link, strlen(kind.link)) == 0) snprintf(text, capacity, "%s", kind.name);
}

std::size_t bounded(int size, std::size_t capacity) {
  return size < 0 ? 0 : static_cast<std::size_t>(size) < capacity ? static_cast<std::size_t>(size) : capacity - 1;
}

bool has_network_port(int descriptor) {
  sockaddr_in6 address{};  // the port is where it is in a sockaddr_in
  socklen_t size = sizeof address;
  const long result =
      os::system_call(SYS_getsockname, descriptor, reinterpret_cast<long>(&address), reinterpret_cast<long>(&size));
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
#define HEDDLE_SYSTEM_CALL(name, rule) \
  case SYS_##name:                     \
    return rule;
#include "runtime/isolation/system_calls.def"
#undef HEDDLE_SYSTEM_CALL
    default:
      return kUnknown;
  }
}

std::size_t describe_effect(const SystemCallEffect& effect, char* text, std::size_t capacity) {
  if (effect.descriptor < 0) return bounded(snprintf(text, capacity, "%s", effect.what), capacity);
  char leads_to[200];
  name_of(effect.descriptor, leads_to, sizeof leads_to);
  const char* since = !was_open_before(effect.descriptor) ? ""
                      : config.start_at_offset != 0       ? ", which was open before the first call of "
                                                          : ", which was open before the first thread was created";
  return bounded(snprintf(text, capacity, "%s descriptor %d (%s)%s%s", effect.what, effect.descriptor, leads_to, since,
                          *since != '\0' && config.start_at_offset != 0 ? config.start_at : ""),
                 capacity);
}

const char* system_call_name(long number) {
  switch (number) {
#define HEDDLE_SYSTEM_CALL(name, rule) \
  case SYS_##name:                     \
    return #name;
#include "runtime/isolation/system_calls.def"
#undef HEDDLE_SYSTEM_CALL
    default:
      return nullptr;
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

}  // namespace

bool shares_memory() {
  bool found = false;
  for_each_mapping(look_for_sharing, &found);
  return found;
}

}  // namespace heddle::runtime
