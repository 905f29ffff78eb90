// See effects.h. A call that is not listed counts as an effect that only a process of its own undoes: so an unknown
// call makes an execution slower, never wrong.
#include "runtime/calls/effects.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "protocol/page.h"
#include "runtime/calls/files.h"
#include "runtime/os/open_descriptors.h"
#include "runtime/os/system_call.h"
#include "runtime/ring/output.h"
#include "runtime/snapshot/snapshot.h"
#include "runtime/snapshot/user_memory.h"
#include "runtime/state/memory_map.h"
#include "runtime/state/runtime.h"
#include "runtime/world/credentials.h"
#include "runtime/world/descriptors.h"
#include "runtime/world/inherited.h"
#include "runtime/world/private_files.h"
#include "runtime/world/reservations.h"
#include "runtime/world/signals/outside.h"
#include "runtime/world/undo.h"
#include "runtime/world/undo_descriptors.h"

namespace heddle::runtime {

constinit ExecutionMask execution_mask{};

namespace {

// Did the program that made the present call block it?
bool is_blocked(long signal) {
  return signal > 0 && signal < 65 && (execution_mask.blocked_in_program >> (signal - 1) & 1) != 0;
}

// Limits that the kernel does not learn of (world/memory_limits.h).
bool is_of_memory(long resource) { return resource == RLIMIT_AS || resource == RLIMIT_DATA; }

constexpr SystemCallEffect kNone{};
constexpr SystemCallEffect kOpens{EffectLevel::Fork, "opens, closes or moves a descriptor"};
constexpr SystemCallEffect kWaits{EffectLevel::Fork, "waits for descriptors"};
constexpr SystemCallEffect kFiles{EffectLevel::Exec, "changes files"};
constexpr SystemCallEffect kProcesses{EffectLevel::Fork, "starts a process"};
constexpr SystemCallEffect kChildren{EffectLevel::Fork, "waits for a process"};
constexpr SystemCallEffect kSharedMemory{EffectLevel::Fork, "maps anonymous memory that processes can share"};
constexpr char kSharesFile[] = "maps, to be shared, the contents of";
constexpr SystemCallEffect kOpensSharedMemory{EffectLevel::Exec,
                                              "makes writable what was mapped, and shared, before the start"};
constexpr SystemCallEffect kEarlierMemory{EffectLevel::Fork, "changes mappings that were there before the start"};
constexpr SystemCallEffect kGrowingMemory{EffectLevel::Fork, "maps memory that grows by itself (MAP_GROWSDOWN)"};
constexpr SystemCallEffect kGuards{EffectLevel::Fork, "changes guard pages"};
constexpr SystemCallEffect kTimers{EffectLevel::Fork, "asks for signals"};
constexpr SystemCallEffect kPersistent{EffectLevel::Exec, "uses objects of the system that outlive the process"};
constexpr SystemCallEffect kCredentials{EffectLevel::Fork, "acts for another user or group"};
constexpr SystemCallEffect kUnknown{EffectLevel::Fork, "asks the system for something that memory can't undo"};

constexpr int kDescriptors = 1024;
// Where the program has a folder of its own, and makes the pipe there, nobody outside can open it.
constexpr SystemCallEffect kNamedPipe{EffectLevel::Exec, "opens a named pipe"};

// Mapped before the branching point, shared, and not writable then.
struct SharedRange {
  std::uintptr_t begin, end;
};
constexpr unsigned kMaxReadOnly = 32;

// What of the shared memory is writable: nothing, anonymous memory (or a file without a name), files.
enum class Sharing : std::uint8_t { None, OwnMemory, Files };

struct PermanentEffects {
  std::uint64_t open_before[kDescriptors / 64] = {};
  SharedRange read_only[kMaxReadOnly] = {};
  unsigned read_only_count = 0;
  Sharing sharing = Sharing::None;
};
HEDDLE_PERMANENT constinit PermanentEffects permanent_effects{};

}  // namespace

bool was_open_before(long descriptor) {
  if (descriptor < 0) return false;
  if (descriptor >= kDescriptors) return true;  // not known: assume the worse
  return (permanent_effects.open_before[descriptor / 64] >> (descriptor % 64) & 1) != 0;
}

namespace {

bool starts_with(const char* text, const char* beginning) { return strncmp(text, beginning, strlen(beginning)) == 0; }

// The program has made it, and nothing else leads to it than its descriptors: another start makes its own.
bool is_its_own(int descriptor) {
  char text[64];
  const char* link = is_inherited(descriptor) ? nullptr : link_of(descriptor, text, sizeof text);
  if (link == nullptr) return false;
  return starts_with(link, "/memfd:") || starts_with(link, "pipe:") || starts_with(link, "anon_inode:");
}

SystemCallEffect own_descriptor(long descriptor, const char* what = "uses") {
  return {EffectLevel::Fork, what, static_cast<int>(descriptor)};
}
SystemCallEffect earlier_descriptor(long descriptor, const char* what = "uses") {
  const auto number = static_cast<int>(descriptor);
  return {EffectLevel::Exec, what, number, !is_its_own(number)};
}

struct stat status_of(long descriptor) {
  struct stat status {};
  os::system_call(SYS_fstat, descriptor, reinterpret_cast<long>(&status));
  return status;
}

// /dev/null, zero, full, random: nothing is left behind in them.
bool keeps_nothing(const struct stat& status) { return S_ISCHR(status.st_mode) && major(status.st_rdev) == 1; }

bool is_open(long descriptor) { return os::system_call(SYS_fcntl, descriptor, F_GETFD) >= 0; }

// What it leads to is the execution's, or will be as it was: it may be used.
bool is_undone(long descriptor) { return is_opened_here(descriptor) || use_private_file(descriptor); }

bool is_undone_or_free(long descriptor) { return is_undone(descriptor) || !is_open(descriptor); }

SystemCallEffect reads(long descriptor) {
  if (is_undone(descriptor)) return kNone;
  const struct stat status = status_of(descriptor);
  if (keeps_nothing(status) || !is_open(descriptor)) return kNone;
  if (!was_open_before(descriptor)) return own_descriptor(descriptor);
  // descriptors.h: fork puts the offset of a regular file back before each execution.
  if (on_snapshot() && undoes_moving(descriptor)) return kNone;
  return S_ISREG(status.st_mode) ? own_descriptor(descriptor) : earlier_descriptor(descriptor);
}

SystemCallEffect seeks(long descriptor, long offset, long from) {
  return offset == 0 && from == SEEK_CUR ? kNone : reads(descriptor);
}

SystemCallEffect uses(long descriptor) {
  if (is_undone_or_free(descriptor)) return kNone;
  return was_open_before(descriptor) ? earlier_descriptor(descriptor) : own_descriptor(descriptor);
}

SystemCallEffect copies_data(long from, long to) {
  const SystemCallEffect first = reads(from), second = uses(to);
  return first.level < second.level ? second : first;
}

// Of files also who may only read them can change it.
SystemCallEffect changes_access(long descriptor) {
  const struct stat status = status_of(descriptor);
  return S_ISREG(status.st_mode) || S_ISDIR(status.st_mode) ? kFiles : uses(descriptor);
}

SystemCallEffect writes(long descriptor) {
  if (is_undone(descriptor)) return kNone;
  if (is_captured_output(static_cast<int>(descriptor)) || keeps_nothing(status_of(descriptor))) return kNone;
  return uses(descriptor);
}

// Other sockets may be concerned than the one at its other end.
SystemCallEffect meets_others(long descriptor) {
  const SystemCallEffect effect = uses(descriptor);
  return effect.level == EffectLevel::None ? own_descriptor(descriptor) : effect;
}

SystemCallEffect sends(long descriptor, bool elsewhere) {
  return elsewhere ? meets_others(descriptor) : uses(descriptor);
}

// To a name, or with descriptors.
SystemCallEffect sends_message(long descriptor, long address) {
  const auto* message = reinterpret_cast<const msghdr*>(address);
  return sends(descriptor, !can_read(message) || message->msg_name != nullptr || message->msg_controllen != 0);
}

SystemCallEffect takes_port(long descriptor) {
  runtime.shared->status.outside_effects.store(1);
  return meets_others(descriptor);
}

// Asking what is ready changes nothing but the list of an epoll set.
bool can_be_asked(long descriptor) {
  if (is_opened_here(descriptor)) return true;
  if (is_private_file(descriptor) && !is_private_set(descriptor)) return true;
  return is_undone_or_free(descriptor) || S_ISREG(status_of(descriptor).st_mode);
}

SystemCallEffect polls(long entries, long count) {
  constexpr long kMax = 65536;
  const auto* entry = reinterpret_cast<const pollfd*>(entries);
  if (count < 0 || count > kMax || !is_readable(entries, static_cast<std::size_t>(count) * sizeof *entry))
    return kNone;  // nor will it be done
  for (long i = 0; i < count; ++i)
    if (entry[i].fd >= 0 && !can_be_asked(entry[i].fd)) return kWaits;
  return kNone;
}

SystemCallEffect selects(const SystemCall& call) {
  const long count = call.arguments[0];
  if (count < 0 || count > FD_SETSIZE) return kWaits;
  const auto bytes = static_cast<std::size_t>((count + 63) / 64 * 8);
  for (const int argument : {1, 2, 3}) {
    const auto* set = reinterpret_cast<const fd_set*>(call.arguments[argument]);
    if (set == nullptr || !is_readable(call.arguments[argument], bytes)) continue;
    for (int number = 0; number < count; ++number)
      if (FD_ISSET(number, set) && !can_be_asked(number)) return kWaits;
  }
  return kNone;
}

// What is registered may be an epoll set, of which is asked then.
SystemCallEffect registers(long set, long member) {
  use_private_file(member);
  return uses(set);
}

SystemCallEffect opens(long directory, long path, long flags) {
  struct stat status {};
  const bool exists = os::system_call(SYS_newfstatat, directory, path, reinterpret_cast<long>(&status), 0) == 0;
  if (exists && S_ISFIFO(status.st_mode)) return kNamedPipe;
  const bool only_read = (flags & (O_ACCMODE | O_CREAT | O_TRUNC)) == O_RDONLY;
  const bool is_file = S_ISREG(status.st_mode) || S_ISDIR(status.st_mode);
  if (only_read && !exists) return kNone;  // nor will it be opened
  if (exists && (keeps_nothing(status) || (only_read && is_file))) return kNone;
  return only_read || (exists && !S_ISREG(status.st_mode)) ? kOpens : kFiles;
}

// Who is at the other end of a socket or pipe from before is not told where the process that forks has it open, too.
SystemCallEffect closes(long descriptor) {
  if (is_undone_or_free(descriptor)) return kNone;
  const struct stat status = status_of(descriptor);
  const bool is_reported = S_ISSOCK(status.st_mode) || S_ISFIFO(status.st_mode);
  if (is_reported && was_open_before(descriptor) && !is_inherited(descriptor))
    return earlier_descriptor(descriptor, "closes");
  return undoes_closing(descriptor, S_ISREG(status.st_mode)) ? kNone : kOpens;
}

// `to`: the number that it is to have, whatever that leads to; -1: any.
SystemCallEffect copies(long from, long to) {
  constexpr long kNumbers = 1024;
  if (from == to) return kNone;
  if (!is_undone_or_free(from) || to >= kNumbers) return kOpens;
  return to < 0 ? kNone : closes(to);
}

// A record lock belongs to a process: what was taken before the first thread is held against each execution that is a
// process of its own.
bool is_locked_before(long descriptor) {
  struct flock lock {};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  return was_open_before(descriptor) &&
         os::system_call(SYS_fcntl, descriptor, F_GETLK, reinterpret_cast<long>(&lock)) == 0 &&
         lock.l_type != F_UNLCK && lock.l_pid == runtime.process;
}

SystemCallEffect takes_lock(long descriptor) {
  return is_locked_before(descriptor) ? earlier_descriptor(descriptor, "locks") : own_descriptor(descriptor);
}

SystemCallEffect controls(const SystemCall& call) {  // fcntl
  switch (call.arguments[1]) {
    case F_GETFD:
    case F_GETFL:
    case F_GETOWN:
    case F_GET_SEALS:
    case F_GETPIPE_SZ:
      return kNone;
    case F_SETFD:
      return is_undone_or_free(call.arguments[0]) ? kNone : kOpens;
    case F_DUPFD:
    case F_DUPFD_CLOEXEC:
      return copies(call.arguments[0], -1);
    case F_SETOWN:
    case F_SETOWN_EX:
    case F_SETSIG:
      return is_undone(call.arguments[0]) ? kTimers : uses(call.arguments[0]);
    case F_SETFL:
      if ((call.arguments[2] & O_ASYNC) != 0 && is_undone(call.arguments[0])) return kTimers;
      return is_captured_output(static_cast<int>(call.arguments[0])) ? kNone : uses(call.arguments[0]);
    case F_GETLK:
      return is_locked_before(call.arguments[0]) ? takes_lock(call.arguments[0]) : kNone;
    case F_SETLK:  // held by the process, and gone with it
    case F_SETLKW:
      return takes_lock(call.arguments[0]);
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
    case FIOASYNC:
    case FIOSETOWN:
    case SIOCSPGRP:
      return is_undone(call.arguments[0]) ? kTimers : uses(call.arguments[0]);
    default:
      return uses(call.arguments[0]);
  }
}

// A file from before keeps what one execution writes to it. So it does where the mapping can only be read: that may be
// changed, unless the file was opened to be read only, or be the one by which a thread sees what another has written.
SystemCallEffect shares(long descriptor) {
  const struct stat status = status_of(descriptor);
  if (keeps_nothing(status)) return kSharedMemory;  // /dev/zero
  const long access = os::system_call(SYS_fcntl, descriptor, F_GETFL) & O_ACCMODE;
  if (S_ISREG(status.st_mode) && access == O_RDONLY) return kNone;
  const bool keeps = was_open_before(descriptor) && access == O_RDWR;
  return keeps ? earlier_descriptor(descriptor, kSharesFile) : own_descriptor(descriptor, kSharesFile);
}

bool is_shared_read_only(long address, long bytes) {
  if (permanent_effects.read_only_count == kMaxReadOnly) return true;  // not all of them are known
  const auto begin = static_cast<std::uintptr_t>(address), end = begin + static_cast<std::uintptr_t>(bytes);
  for (unsigned i = 0; i < permanent_effects.read_only_count; ++i)
    if (permanent_effects.read_only[i].begin < end && begin < permanent_effects.read_only[i].end) return true;
  return false;
}

bool lasts(long address, long bytes) {
  const auto begin = static_cast<std::uintptr_t>(address);
  const auto size = static_cast<std::size_t>(bytes);
  return was_mapped_before(begin, size) && !(on_snapshot() && undoes_changes_of(begin, size));
}

SystemCallEffect maps(const SystemCall& call) {
  const long flags = call.arguments[3];
  const bool fixed = (flags & MAP_FIXED) != 0;
  if ((flags & MAP_SHARED) != 0) return (flags & MAP_ANONYMOUS) != 0 ? kSharedMemory : shares(call.arguments[4]);
  if (fixed && lasts(call.arguments[0], call.arguments[1])) return kEarlierMemory;
  return (flags & MAP_GROWSDOWN) != 0 ? kGrowingMemory : kNone;
}

SystemCallEffect remaps(long address, long bytes) { return lasts(address, bytes) ? kEarlierMemory : kNone; }

SystemCallEffect unmaps(long address, long bytes) {
  const auto size = static_cast<std::size_t>(bytes);
  return can_be_set_aside(static_cast<std::uintptr_t>(address), size) ? kNone : remaps(address, bytes);
}

SystemCallEffect protects(long address, long bytes, long protection) {
  const bool opens = (protection & PROT_WRITE) != 0 && is_shared_read_only(address, bytes);
  return opens ? kOpensSharedMemory : remaps(address, bytes);
}

// Where it goes to, nobody knows any more what it was.
SystemCallEffect moves(long address, long bytes) {
  constexpr long kPage = kPageBytes;  // of no size, it is mapped once more
  if (is_shared_read_only(address, bytes > 0 ? bytes : kPage)) return kOpensSharedMemory;
  const bool before = was_mapped_before(static_cast<std::uintptr_t>(address), static_cast<std::size_t>(bytes));
  return before ? kEarlierMemory : kNone;
}

SystemCallEffect advises(const SystemCall& call) {
  constexpr long kInstallGuards = 102, kRemoveGuards = 103;  // since Linux 6.13
  const long advice = call.arguments[2];
  if (advice == kInstallGuards || advice == kRemoveGuards) return kGuards;
  // What is to be made writable at once may be protected by us.
  const bool changes =
      advice == MADV_DONTNEED || advice == MADV_FREE || advice == MADV_REMOVE || advice == MADV_POPULATE_WRITE;
  return changes ? remaps(call.arguments[0], call.arguments[1]) : kNone;
}

SystemCallEffect sends_signal(long process, long signal) {
  const bool to_itself = process == os::process_id() || process == os::system_call(SYS_gettid);
  if (!to_itself) return {EffectLevel::Fork, "signals others"};
  return is_blocked(signal) ? SystemCallEffect{EffectLevel::Fork, "leaves a signal pending"} : kNone;
}

SystemCallEffect acts_for(const SystemCall& call) { return would_change_credentials(call) ? kCredentials : kNone; }

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
  const long result =
      os::system_call(SYS_getsockname, descriptor, reinterpret_cast<long>(&address), reinterpret_cast<long>(&size));
  if (result != 0) return false;
  return (address.sin6_family == AF_INET || address.sin6_family == AF_INET6) && address.sin6_port != 0;
}

}  // namespace

void note_copied_descriptor(long from, long to) {
  if (to < 0 || to >= kDescriptors || is_opened_here(to)) return;
  const std::uint64_t bit = std::uint64_t{1} << (to % 64);
  if (was_open_before(from))
    permanent_effects.open_before[to / 64] |= bit;
  else
    permanent_effects.open_before[to / 64] &= ~bit;
}

void note_open_descriptors() {
  os::OpenDescriptors open(kDescriptors);
  for (int descriptor = 0; (descriptor = open.next()) >= 0;) {
    permanent_effects.open_before[descriptor / 64] |= std::uint64_t{1} << (descriptor % 64);
    if (os::system_call(SYS_fcntl, descriptor, F_GETOWN) != 0) note_signalling_descriptor();
    if (has_network_port(descriptor)) runtime.shared->status.outside_effects.store(1);
  }
}

SystemCallEffect effect_of(const SystemCall& call) {
  const long* const a = call.arguments;
  switch (call.number) {
#define HEDDLE_SYSTEM_CALL(name, rule) \
  case SYS_##name:                     \
    return rule;
#include "runtime/calls/system_calls.def"
#undef HEDDLE_SYSTEM_CALL
    default:
      return kUnknown;
  }
}

namespace {

bool note_sharing(const Mapping& mapping, void*) {
  const auto own = reinterpret_cast<std::uintptr_t>(runtime.shared);
  const bool ours = mapping.begin >= own && mapping.begin < own + sizeof(Shared);
  if (!mapping.shared || ours) return true;
  if (!mapping.writable) {
    if (permanent_effects.read_only_count < kMaxReadOnly)
      permanent_effects.read_only[permanent_effects.read_only_count++] = {mapping.begin, mapping.end};
    return true;
  }
  const bool nameless = starts_with(mapping.path, "/dev/zero (deleted)") || starts_with(mapping.path, "/memfd:");
  if (!nameless || permanent_effects.sharing == Sharing::None)
    permanent_effects.sharing = nameless ? Sharing::OwnMemory : Sharing::Files;
  return true;
}

}  // namespace

void note_shared_memory() { for_each_mapping(note_sharing, nullptr); }

SystemCallEffect effect_of_shared_memory() {
  if (permanent_effects.sharing == Sharing::None) return kNone;
  const bool files = permanent_effects.sharing == Sharing::Files;
  return {EffectLevel::Exec,
          files ? "shares the contents of a file that was mapped before the start"
                : "shares anonymous memory that was mapped before the start",
          -1, files};
}

}  // namespace heddle::runtime
