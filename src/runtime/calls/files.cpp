// See files.h.
#include "runtime/calls/files.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>

#include <algorithm>
#include <iterator>
#include <limits>

#include "runtime/os/open_descriptors.h"
#include "runtime/os/system_call.h"
#include "runtime/ring/recorder.h"
#include "runtime/state/runtime.h"
#include "runtime/world/inherited.h"
#include "runtime/world/live_children.h"
#include "runtime/world/private_files.h"

namespace heddle::runtime {
namespace {

constexpr long kDescriptors = 4096;  // of those beyond nothing is remembered: each call asks anew
constexpr unsigned kMembers = 1024;
constexpr unsigned kFiles = 4096;

struct Descriptor {
  DescriptorKind kind = DescriptorKind::All;  // All: not known yet
  bool waits = false;
  bool inside = false;  // a socket whose peer is one of ours; a pipe, a timer or a file of signals that is
  ObjectId object = kNoObject;
};

// An open file by what the kernel calls it.
struct Identity {
  std::uint64_t device, inode;
  ObjectId object;
};

struct Member {
  long set, descriptor;
};

struct ExecutionFiles {
  Descriptor descriptors[kDescriptors];
  Identity identities[kFiles];
  unsigned identity_count;
  Member members[kMembers];
  unsigned member_count;
  int named_pipes;
  ObjectId all;
};

ExecutionFiles* files = nullptr;  // made when it is first needed: most programs have only standard output

struct PermanentFolder {
  char path[256] = {};  // that was made for this start of the program; empty: none was
};
HEDDLE_PERMANENT constinit PermanentFolder permanent_folder{};

bool status_of(long descriptor, struct stat& status) {
  return os::system_call(SYS_fstat, descriptor, reinterpret_cast<long>(&status)) == 0;
}

DescriptorKind kind_by_link(long descriptor) {
  struct Known {
    const char* link;
    DescriptorKind kind;
  };
  constexpr Known kKnown[] = {{"anon_inode:[eventfd]", DescriptorKind::EventCounter},
                              {"anon_inode:[eventpoll]", DescriptorKind::EpollSet},
                              {"anon_inode:[timerfd]", DescriptorKind::Timer},
                              {"anon_inode:[signalfd]", DescriptorKind::SignalFile}};
  char path[40], link[64];
  snprintf(path, sizeof path, "/proc/self/fd/%ld", descriptor);
  const long length = os::system_call(SYS_readlinkat, AT_FDCWD, reinterpret_cast<long>(path),
                                      reinterpret_cast<long>(link), sizeof link - 1);
  link[length > 0 ? length : 0] = '\0';
  for (const Known& known : kKnown)
    if (strcmp(link, known.link) == 0) return known.kind;
  return DescriptorKind::Other;
}

// It looks like a regular file of the size of its description.
bool is_message_queue(long descriptor, const struct stat& status) {
  constexpr long kQueues = 0x19800202;  // MQUEUE_MAGIC of statfs(2)
  constexpr long kSize = 80;            // FILENT_SIZE in the kernel's mqueue.c
  struct statfs system {};
  return S_ISREG(status.st_mode) && status.st_size == kSize &&
         os::system_call(SYS_fstatfs, descriptor, reinterpret_cast<long>(&system)) == 0 && system.f_type == kQueues;
}

Descriptor describe(long descriptor, const struct stat& status) {
  Descriptor made;
  constexpr unsigned kMemoryDevices = 1;  // null, zero, random …
  if (S_ISFIFO(status.st_mode)) {
    made.kind = DescriptorKind::Pipe;
  } else if (S_ISSOCK(status.st_mode)) {
    made.kind = DescriptorKind::Socket;
  } else if (S_ISCHR(status.st_mode)) {
    made.kind = DescriptorKind::Device;
    made.waits = major(status.st_rdev) != kMemoryDevices;
    return made;
  } else if (is_message_queue(descriptor, status)) {
    made.kind = DescriptorKind::MessageQueue;
  } else if ((status.st_mode & S_IFMT) != 0) {
    made.kind = DescriptorKind::File;
    return made;
  } else {
    made.kind = kind_by_link(descriptor);
  }
  made.waits = true;
  return made;
}

void add_member(long set, long descriptor) {
  if (files->member_count < kMembers) files->members[files->member_count++] = {set, descriptor};
}

// What an epoll set held before it was first looked at, as the kernel lists it ("tfd: 3 events: …").
void note_earlier_members(long set) {
  constexpr const char* kMember = "tfd:";
  char path[40], text[2048];
  snprintf(path, sizeof path, "/proc/self/fdinfo/%ld", set);
  const long file = os::system_call(SYS_openat, AT_FDCWD, reinterpret_cast<long>(path), O_RDONLY | O_CLOEXEC);
  if (file < 0) return;
  std::size_t size = 0;
  for (;;) {
    const long got =
        os::system_call(SYS_read, file, reinterpret_cast<long>(text + size), static_cast<long>(sizeof text - 1 - size));
    if (got <= 0) break;
    size += static_cast<std::size_t>(got);
    text[size] = '\0';
    char* line = text;
    for (char* end = strchr(line, '\n'); end != nullptr; end = strchr(line, '\n')) {
      if (strncmp(line, kMember, strlen(kMember)) == 0) add_member(set, strtol(line + strlen(kMember), nullptr, 10));
      line = end + 1;
    }
    size -= static_cast<std::size_t>(line - text);
    memmove(text, line, size);
  }
  os::system_call(SYS_close, file);
}

// What is known of it; `scratch` where nothing is remembered. Null: it is not open.
Descriptor* find(long descriptor, Descriptor& scratch) {
  const bool remembered = descriptor >= 0 && descriptor < kDescriptors;
  if (files != nullptr && remembered && files->descriptors[descriptor].kind != DescriptorKind::All)
    return &files->descriptors[descriptor];
  struct stat status {};
  if (!status_of(descriptor, status)) return nullptr;
  scratch = describe(descriptor, status);
  if (!scratch.waits || !remembered) return &scratch;  // what never waits may be anything: never remembered
  if (files == nullptr) files = static_cast<ExecutionFiles*>(os::allocate(sizeof(ExecutionFiles)));
  files->descriptors[descriptor] = scratch;
  if (scratch.kind == DescriptorKind::EpollSet) note_earlier_members(descriptor);
  return &files->descriptors[descriptor];
}

ObjectId new_object(std::uint64_t address, Site site) {
  return runtime.world->population().add_object(ObjectKind::Descriptor, runtime.current, address, site);
}

// Those without a file system of their own share one inode.
bool has_identity(DescriptorKind kind) {
  return kind == DescriptorKind::Pipe || kind == DescriptorKind::Socket || kind == DescriptorKind::MessageQueue;
}

ObjectId identified(long descriptor, DescriptorKind kind, Site site) {
  struct stat status {};
  if (!status_of(descriptor, status)) return new_object(pack(kind, static_cast<int>(descriptor), -1), site);
  status.st_ino = first_inode(status.st_ino);
  for (unsigned i = files->identity_count; i-- > 0;)
    if (files->identities[i].inode == status.st_ino && files->identities[i].device == status.st_dev)
      return files->identities[i].object;
  const ObjectId made = new_object(pack(kind, static_cast<int>(descriptor), -1), site);
  if (files->identity_count < kFiles) files->identities[files->identity_count++] = {status.st_dev, status.st_ino, made};
  return made;
}

void identify(int descriptor, ObjectId object) {
  struct stat status {};
  if (!status_of(descriptor, status) || files->identity_count == kFiles) return;
  files->identities[files->identity_count++] = {status.st_dev, status.st_ino, object};
}

// --- sockets

union Address {
  sockaddr any;
  sockaddr_in v4;
  sockaddr_in6 v6;
  char room[128];
};

bool address_of(long descriptor, long number, Address& address) {
  socklen_t size = sizeof address;
  memset(&address, 0, sizeof address);
  return os::system_call(number, descriptor, reinterpret_cast<long>(&address), reinterpret_cast<long>(&size)) == 0;
}

// The port lies at the same place in both families.
bool is_internet(const Address& address) {
  return address.any.sa_family == AF_INET || address.any.sa_family == AF_INET6;
}

bool is_loopback(const Address& address) {
  constexpr std::uint32_t kLoopbackNet = 127;
  if (address.any.sa_family == AF_INET) return ntohl(address.v4.sin_addr.s_addr) >> 24 == kLoopbackNet;
  const auto& v6 = address.v6.sin6_addr;
  if (IN6_IS_ADDR_V4MAPPED(&v6)) return v6.s6_addr[12] == kLoopbackNet;
  return IN6_IS_ADDR_LOOPBACK(&v6) != 0;
}

bool is_ours(const Address& peer, long except) {
  for (long i = 0; i < kDescriptors; ++i) {
    if (i == except || files->descriptors[i].kind != DescriptorKind::Socket) continue;
    Address own;
    if (address_of(i, SYS_getsockname, own) && is_internet(own) && own.v4.sin_port == peer.v4.sin_port) return true;
  }
  return false;
}

bool is_our_process(long descriptor) {
  ucred peer{};
  socklen_t size = sizeof peer;
  if (os::system_call(SYS_getsockopt, descriptor, SOL_SOCKET, SO_PEERCRED, reinterpret_cast<long>(&peer),
                      reinterpret_cast<long>(&size)) != 0)
    return false;
  return peer.pid == os::process_id() || peer.pid == runtime.process;
}

Outside socket_ended_from_outside(long descriptor, Descriptor& known) {
  if (known.inside) return Outside::Never;
  Address peer;
  if (!address_of(descriptor, SYS_getpeername, peer)) return Outside::Perhaps;  // listens, or hears from anybody
  known.inside = is_internet(peer) ? is_loopback(peer) && is_ours(peer, descriptor) : is_our_process(descriptor);
  return known.inside ? Outside::Never : Outside::Only;
}

// A pipe that other processes can open: it has a name, not in a folder that only this start of the program knows.
bool can_be_opened_outside(long descriptor) {
  constexpr long kNameless = 0x50495045;  // PIPEFS_MAGIC
  struct statfs system {};
  struct stat status {};
  if (os::system_call(SYS_fstatfs, descriptor, reinterpret_cast<long>(&system)) != 0 || system.f_type == kNameless)
    return false;
  if (!status_of(descriptor, status) || status.st_nlink == 0) return false;
  char link[40], path[sizeof permanent_folder.path];
  snprintf(link, sizeof link, "/proc/self/fd/%ld", descriptor);
  const std::size_t length = strlen(permanent_folder.path);
  const long got = os::system_call(SYS_readlinkat, AT_FDCWD, reinterpret_cast<long>(link), reinterpret_cast<long>(path),
                                   sizeof path);
  const bool is_inside =
      length != 0 && got > static_cast<long>(length) && memcmp(path, permanent_folder.path, length) == 0;
  return !is_inside;
}

Outside pipe_ended_from_outside(long descriptor, Descriptor& known) {
  if (is_inherited(descriptor)) return Outside::Only;
  if (!known.inside) known.inside = !can_be_opened_outside(descriptor);
  return has_live_child() || !known.inside ? Outside::Perhaps : Outside::Never;
}

Outside set_ended_from_outside(long set) {
  Outside most = files == nullptr || files->member_count == kMembers ? Outside::Perhaps : Outside::Never;
  for (unsigned i = 0; files != nullptr && i < files->member_count; ++i) {
    if (files->members[i].set != set || files->members[i].descriptor == set) continue;
    if (ended_from_outside(files->members[i].descriptor) != Outside::Never) most = Outside::Perhaps;
  }
  return most;
}

}  // namespace

void note_own_folder() {
  const long length =
      os::system_call(SYS_getcwd, reinterpret_cast<long>(permanent_folder.path), sizeof permanent_folder.path);
  if (length <= 0 || strstr(permanent_folder.path, kScratchPrefix) == nullptr) permanent_folder.path[0] = '\0';
}

bool can_wait_on(long descriptor) {
  Descriptor scratch;
  const Descriptor* found = find(descriptor, scratch);
  return found != nullptr && found->waits;
}

DescriptorKind kind_of(long descriptor) {
  Descriptor scratch;
  const Descriptor* found = find(descriptor, scratch);
  return found != nullptr ? found->kind : DescriptorKind::All;
}

ObjectId object_of(long descriptor, Site site) {
  Descriptor scratch;
  Descriptor* found = find(descriptor, scratch);
  if (found == nullptr) return all_descriptors(site);
  if (files == nullptr) files = static_cast<ExecutionFiles*>(os::allocate(sizeof(ExecutionFiles)));
  if (found->object != kNoObject) return found->object;
  const auto number = static_cast<int>(descriptor);
  found->object = has_identity(found->kind) || found->kind == DescriptorKind::File
                      ? identified(descriptor, found->kind, site)
                      : new_object(pack(found->kind, number, -1), site);
  return found->object;
}

ObjectId object_without_descriptor(DescriptorKind kind, int number, Site site) {
  const std::uint64_t device = ~static_cast<std::uint64_t>(kind), inode = static_cast<std::uint64_t>(number);
  all_descriptors(site);
  for (unsigned i = files->identity_count; i-- > 0;)
    if (files->identities[i].inode == inode && files->identities[i].device == device)
      return files->identities[i].object;
  const ObjectId made = new_object(pack(kind, number, -1), site);
  if (files->identity_count < kFiles) files->identities[files->identity_count++] = {device, inode, made};
  return made;
}

ObjectId object_of_named_pipe(std::uint64_t device, std::uint64_t inode, Site site) {
  all_descriptors(site);
  for (unsigned i = files->identity_count; i-- > 0;)
    if (files->identities[i].inode == inode && files->identities[i].device == device)
      return files->identities[i].object;
  const ObjectId made = new_object(pack(DescriptorKind::NamedPipe, ++files->named_pipes, -1), site);
  if (files->identity_count < kFiles) files->identities[files->identity_count++] = {device, inode, made};
  return made;
}

bool any_descriptor_of(ObjectId object, bool (*is_so)(long descriptor)) {
  for (long i = 0; files != nullptr && i < kDescriptors; ++i)
    if (files->descriptors[i].object == object && is_so(i)) return true;
  return false;
}

ObjectId all_descriptors(Site site) {
  if (files == nullptr) files = static_cast<ExecutionFiles*>(os::allocate(sizeof(ExecutionFiles)));
  if (files->all == kNoObject) files->all = new_object(pack(DescriptorKind::All, -1, -1), site);
  return files->all;
}

void note_pair(int first, int second, DescriptorKind kind, Site site) {
  all_descriptors(site);
  const ObjectId object = new_object(pack(kind, first, second), site);
  for (const int descriptor : {first, second}) {
    identify(descriptor, object);
    if (descriptor >= kDescriptors) continue;
    files->descriptors[descriptor] = {kind == DescriptorKind::Pipe ? DescriptorKind::Pipe : DescriptorKind::Socket,
                                      true, false, object};
  }
}

ObjectId note_stand_in(int descriptor, DescriptorKind kind, Site site) {
  all_descriptors(site);
  const ObjectId object = new_object(pack(kind, descriptor, -1), site);
  if (descriptor < kDescriptors) files->descriptors[descriptor] = {kind, true, true, object};
  return object;
}

int descriptor_of(ObjectId object) {
  for (long i = 0; files != nullptr && i < kDescriptors; ++i)
    if (files->descriptors[i].object == object) return static_cast<int>(i);
  return -1;
}

void note_copy(long from, long to) {
  if (files == nullptr || to < 0 || to >= kDescriptors) return;
  files->descriptors[to] = from >= 0 && from < kDescriptors ? files->descriptors[from] : Descriptor();
}

void forget_descriptor(long descriptor) {
  if (files == nullptr || descriptor < 0 || descriptor >= kDescriptors) return;
  Descriptor& known = files->descriptors[descriptor];
  if (known.kind == DescriptorKind::All) return;
  known = Descriptor();
  unsigned kept = 0;
  for (unsigned i = 0; i < files->member_count; ++i)
    if (files->members[i].set != descriptor && files->members[i].descriptor != descriptor)
      files->members[kept++] = files->members[i];
  files->member_count = kept;
}

void forget_descriptors(unsigned first, unsigned last) {
  for (long descriptor = first; descriptor < kDescriptors && descriptor <= static_cast<long>(last); ++descriptor)
    forget_descriptor(descriptor);
}

void note_member(long epoll_set, long descriptor) {
  if (files != nullptr) add_member(epoll_set, descriptor);
}

bool is_channel(long descriptor) {
  struct stat status {};
  if (os::system_call(SYS_fstat, descriptor, reinterpret_cast<long>(&status)) != 0) return false;
  if (S_ISFIFO(status.st_mode)) return true;
  sockaddr_storage peer{};
  socklen_t size = sizeof peer;
  const long error =
      os::system_call(SYS_getpeername, descriptor, reinterpret_cast<long>(&peer), reinterpret_cast<long>(&size));
  return S_ISSOCK(status.st_mode) && error == 0 && peer.ss_family == AF_UNIX && size == sizeof peer.ss_family;
}

Outside ended_from_outside(long descriptor) {
  Descriptor scratch;
  Descriptor* known = find(descriptor, scratch);
  if (known == nullptr) return Outside::Never;
  switch (known->kind) {
    case DescriptorKind::Pipe:
      return pipe_ended_from_outside(descriptor, *known);
    case DescriptorKind::EventCounter:
    case DescriptorKind::MessageQueue:
      return is_inherited(descriptor) ? Outside::Only : has_live_child() ? Outside::Perhaps : Outside::Never;
    case DescriptorKind::Socket:
      if (is_inherited(descriptor)) return Outside::Only;
      if (has_live_child()) return Outside::Perhaps;
      return socket_ended_from_outside(descriptor, *known);
    case DescriptorKind::Timer:
      return known->inside ? Outside::Never : Outside::Only;
    case DescriptorKind::SignalFile:
      return !known->inside ? Outside::Only : has_live_child() ? Outside::Perhaps : Outside::Never;
    case DescriptorKind::EpollSet:
      return set_ended_from_outside(descriptor);
    default:
      return Outside::Only;
  }
}

}  // namespace heddle::runtime
