// See private_files.h. Finds these files and their state at the branching point. A doubtful file is left out: its use
// is then an effect, which another isolation undoes.
//
// Reading the state may change a file (an epoll set loses its pending events). That does no harm, since nobody uses
// these files any more. Executions under exec isolation use the program's own files and don't come here.
#include <fcntl.h>
#include <linux/sockios.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <iterator>

#include "runtime/os/open_descriptors.h"
#include "runtime/os/system_call.h"
#include "runtime/state/runtime.h"
#include "runtime/world/children.h"
#include "runtime/world/inherited.h"
#include "runtime/world/private_file_table.h"
#include "runtime/world/private_files.h"

namespace heddle::runtime {
namespace {

constexpr std::size_t kRoom = std::size_t{1} << 16;
constexpr long kNamelessPipes = 0x50495045;  // PIPEFS_MAGIC
constexpr long kLargeFile = 0100000;         // what O_LARGEFILE is to the kernel
constexpr std::uint32_t kHowItTells = EPOLLET | EPOLLONESHOT | EPOLLWAKEUP | EPOLLEXCLUSIVE;

// Made by the program.
struct Pair {
  std::uint64_t inodes[2];
  int type;
};
constexpr unsigned kMaxPairs = 32;
struct PermanentPairs {
  Pair all[kMaxPairs] = {};
  unsigned count = 0;
};
HEDDLE_PERMANENT constinit PermanentPairs permanent_pairs{};

struct ProcessInspection {
  char* room = nullptr;  // for what is read meanwhile
};
constinit ProcessInspection process_inspection{};

long flags_of(long descriptor) { return os::system_call(SYS_fcntl, descriptor, F_GETFL); }

bool has_only(long flags, long allowed) { return flags >= 0 && (flags & ~(allowed | O_ACCMODE | kLargeFile)) == 0; }

// Do both lead to one open file? Its flags are the same by whatever number.
bool same_file(int one, int other) {
  const long flags = flags_of(one), before = flags_of(other);
  if (flags != before) return false;
  os::system_call(SYS_fcntl, one, F_SETFL, flags ^ O_NONBLOCK);
  const bool same = flags_of(other) != before;
  os::system_call(SYS_fcntl, one, F_SETFL, flags);
  return same;
}

// --- text that /proc shows

// Null: there is none, or too much.
const char* read_text(const char* path) {
  const long file = os::system_call(SYS_openat, AT_FDCWD, reinterpret_cast<long>(path), O_RDONLY | O_CLOEXEC);
  if (file < 0) return nullptr;
  std::size_t size = 0;
  for (long got = 1; got > 0 && size<kRoom - 1; size += got> 0 ? static_cast<std::size_t>(got) : 0)
    got = os::system_call(SYS_read, file, reinterpret_cast<long>(process_inspection.room + size),
                          static_cast<long>(kRoom - 1 - size));
  os::system_call(SYS_close, file);
  process_inspection.room[size] = '\0';
  return size < kRoom - 1 ? process_inspection.room : nullptr;
}

const char* information_on(int descriptor) {
  char path[40];
  snprintf(path, sizeof path, "/proc/self/fdinfo/%d", descriptor);
  return read_text(path);
}

// The number behind `label`; `text` goes on behind it. False: the label is not there.
bool read_number(const char*& text, const char* label, unsigned base, std::uint64_t& number) {
  const char* at = strstr(text, label);
  if (at == nullptr) return false;
  at += strlen(label);
  while (*at == ' ' || *at == '\t') ++at;
  number = 0;
  for (;; ++at) {
    const unsigned digit = *at >= '0' && *at <= '9'   ? static_cast<unsigned>(*at - '0')
                           : *at >= 'a' && *at <= 'f' ? static_cast<unsigned>(*at - 'a') + 10
                                                      : base;
    if (digit >= base) break;
    number = number * base + digit;
  }
  text = at;
  return true;
}

// So many numbers may be in use as the table of the kernel has places.
bool all_are_examined() {
  const char* text = read_text("/proc/self/status");
  std::uint64_t places = 0;
  return text != nullptr && read_number(text, "FDSize:", 10, places) && places <= kPrivateNumbers;
}

bool links_to(int descriptor, const char* kind) {
  char path[32], link[64];
  snprintf(path, sizeof path, "/proc/self/fd/%d", descriptor);
  const long length = os::system_call(SYS_readlinkat, AT_FDCWD, reinterpret_cast<long>(path),
                                      reinterpret_cast<long>(link), sizeof link - 1);
  link[length > 0 ? length : 0] = '\0';
  return strcmp(link, kind) == 0;
}

// --- which there are

PrivateFile& file_at(unsigned index) { return private_files->files[index]; }

int first_number(unsigned file, unsigned end) {
  for (unsigned i = 0; i < private_files->number_count; ++i)
    if (private_files->numbers[i].file == file && private_files->numbers[i].end == end)
      return private_files->numbers[i].number;
  return -1;
}

unsigned new_file(PrivateKind kind) {
  PrivateFile& file = file_at(private_files->file_count);
  file = PrivateFile();
  file.kind = kind;
  return private_files->file_count++;
}

// Under one more number; all that lead to one end are to lead to one open file.
void add_number(unsigned index, unsigned end, int number) {
  PrivateFile& file = file_at(index);
  const long flags = flags_of(number);
  if (file.ends[end] && !same_file(first_number(index, end), number)) file.excluded = true;
  if (!has_only(flags, O_NONBLOCK) || os::system_call(SYS_fcntl, number, F_GETOWN) != 0) file.excluded = true;
  file.ends[end] = true;
  file.flags[end] = flags & O_NONBLOCK;
  const bool closes = (os::system_call(SYS_fcntl, number, F_GETFD) & FD_CLOEXEC) != 0;
  private_files->numbers[private_files->number_count++] = {number, static_cast<std::uint8_t>(index),
                                                           static_cast<std::uint8_t>(end), closes};
  private_files->file_of[static_cast<std::size_t>(number)] = static_cast<std::uint8_t>(index);
}

bool has_room() {
  return private_files->file_count < kMaxPrivateFiles && private_files->number_count < kMaxPrivateNumbers;
}

// The pipe, or pair, that it is an end of; made with these inodes if it is not known yet.
unsigned file_with(PrivateKind kind, const std::uint64_t (&inodes)[2]) {
  unsigned file = 0;
  while (file < private_files->file_count && (file_at(file).kind != kind || file_at(file).inodes[0] != inodes[0]))
    ++file;
  if (file == private_files->file_count) std::copy(inodes, inodes + 2, file_at(new_file(kind)).inodes);
  return file;
}

void consider_pipe(int number, std::uint64_t inode) {
  struct statfs system {};
  if (os::system_call(SYS_fstatfs, number, reinterpret_cast<long>(&system)) != 0 || system.f_type != kNamelessPipes)
    return;
  const unsigned file = file_with(PrivateKind::Pipe, {inode, inode});
  const long access = flags_of(number) & O_ACCMODE;
  if (access == O_RDWR) file_at(file).excluded = true;
  add_number(file, access == O_RDONLY ? 0 : 1, number);
}

void consider_socket(int number, std::uint64_t inode) {
  for (unsigned i = 0; i < permanent_pairs.count; ++i) {
    if (permanent_pairs.all[i].inodes[0] != inode && permanent_pairs.all[i].inodes[1] != inode) continue;
    const unsigned file = file_with(PrivateKind::SocketPair, permanent_pairs.all[i].inodes);
    file_at(file).type = permanent_pairs.all[i].type;
    return add_number(file, permanent_pairs.all[i].inodes[0] == inode ? 0 : 1, number);
  }
}

void consider_nameless(int number) {
  const bool is_set = links_to(number, "anon_inode:[eventpoll]");
  if (!is_set && !links_to(number, "anon_inode:[eventfd]")) return;
  const PrivateKind kind = is_set ? PrivateKind::EpollSet : PrivateKind::EventCounter;
  unsigned file = 0;
  while (file < private_files->file_count && (file_at(file).kind != kind || !same_file(first_number(file, 0), number)))
    ++file;
  add_number(file == private_files->file_count ? new_file(kind) : file, 0, number);
}

// False: there are more than can be kept.
bool find_numbers() {
  os::OpenDescriptors open(kPrivateNumbers);
  for (int number = 0; (number = open.next()) >= 0;) {
    struct stat status {};
    if (os::system_call(SYS_fstat, number, reinterpret_cast<long>(&status)) != 0 || is_inherited(number)) continue;
    if (!has_room()) return false;
    if ((status.st_mode & S_IFMT) == 0) consider_nameless(number);
    if (S_ISFIFO(status.st_mode)) consider_pipe(number, status.st_ino);
    if (S_ISSOCK(status.st_mode)) consider_socket(number, status.st_ino);
  }
  return true;
}

// --- how pipes and event counters are

void take_contents(PrivateFile& file, int from, long size) {
  int copy[2] = {};
  file.excluded = true;  // until all of it is there
  if (static_cast<std::size_t>(size) > kMaxPipeContents - private_files->contents_size ||
      os::system_call(SYS_pipe2, reinterpret_cast<long>(copy), O_NONBLOCK | O_CLOEXEC) != 0)
    return;
  os::system_call(SYS_fcntl, copy[1], F_SETPIPE_SZ, file.capacity);
  os::system_call(SYS_tee, from, copy[1], size, 0);
  file.contents_at = private_files->contents_size;
  file.contents_size = static_cast<std::size_t>(size);
  char* to = private_files->contents.data() + file.contents_at;
  long left = size;
  for (long got = 1; got > 0 && left > 0; left -= got, to += got) {
    got = os::system_call(SYS_read, copy[0], reinterpret_cast<long>(to), left);
    if (got < 0) got = 0;
  }
  for (const int end : copy) os::system_call(SYS_close, end);
  file.excluded = left != 0;
  if (left == 0) private_files->contents_size += file.contents_size;
}

void inspect_pipe(unsigned index) {
  PrivateFile& file = file_at(index);
  const int from = first_number(index, 0), to = first_number(index, 1);
  int size = 0;
  if (from >= 0 && to >= 0) file.capacity = os::system_call(SYS_fcntl, to, F_GETPIPE_SZ);
  file.excluded = file.excluded || from < 0 || to < 0 || file.capacity <= 0 ||
                  os::system_call(SYS_ioctl, from, FIONREAD, reinterpret_cast<long>(&size)) != 0;
  if (!file.excluded && size > 0) take_contents(file, from, size);
}

long option_of(int socket, int option, std::uint64_t (&value)[2]) {
  socklen_t size = sizeof value;
  value[0] = value[1] = 0;
  return os::system_call(SYS_getsockopt, socket, SOL_SOCKET, option, reinterpret_cast<long>(&value),
                         reinterpret_cast<long>(&size));
}

bool has_usual_options(int socket, int made) {
  constexpr int kOptions[] = {SO_SNDBUF,   SO_RCVBUF,   SO_RCVTIMEO,  SO_SNDTIMEO,  SO_PASSCRED,  SO_PASSSEC,
                              SO_RCVLOWAT, SO_PRIORITY, SO_LINGER,    SO_MARK,      SO_PEEK_OFF,  SO_TIMESTAMP,
                              SO_ERROR,    SO_TYPE,     SO_KEEPALIVE, SO_OOBINLINE, SO_BROADCAST, SO_TIMESTAMPNS};
  return std::all_of(std::begin(kOptions), std::end(kOptions), [&](int option) {
    std::uint64_t own[2], usual[2];
    return option_of(socket, option, own) == option_of(made, option, usual) && own[0] == usual[0] && own[1] == usual[1];
  });
}

// As `made`: nothing is in flight, shut down, named or set.
bool is_fresh(int socket, int made) {
  pollfd entry{socket, POLLIN | POLLOUT | POLLRDHUP | POLLPRI, 0};
  os::system_call(SYS_poll, reinterpret_cast<long>(&entry), 1, 0);
  int sent = -1;
  os::system_call(SYS_ioctl, socket, SIOCOUTQ, reinterpret_cast<long>(&sent));
  char name[128];
  socklen_t length = sizeof name;
  os::system_call(SYS_getsockname, socket, reinterpret_cast<long>(name), reinterpret_cast<long>(&length));
  return entry.revents == POLLOUT && sent == 0 && length == sizeof(sa_family_t) && has_usual_options(socket, made);
}

void inspect_pair(unsigned index) {
  PrivateFile& file = file_at(index);
  const int ends[] = {first_number(index, 0), first_number(index, 1)};
  int made[2] = {};
  file.excluded = file.excluded || ends[0] < 0 || ends[1] < 0 ||
                  os::system_call(SYS_socketpair, AF_UNIX, file.type, 0, reinterpret_cast<long>(made)) != 0;
  if (file.excluded) return;
  file.excluded = !is_fresh(ends[0], made[0]) || !is_fresh(ends[1], made[1]);
  for (const int end : made) os::system_call(SYS_close, end);
}

// Of what more than one is asked for, a semaphore gives one.
void inspect_counter(unsigned index) {
  constexpr std::uint64_t kTwo = 2, kMaxCount = std::uint64_t{1} << 62;
  PrivateFile& file = file_at(index);
  const int number = first_number(index, 0);
  const char* text = information_on(number);
  if (text == nullptr || !read_number(text, "eventfd-count:", 16, file.count) || file.count > kMaxCount) {
    file.excluded = true;
    return;
  }
  std::uint64_t got = 0;
  os::system_call(SYS_write, number, reinterpret_cast<long>(&kTwo), sizeof kTwo);
  os::system_call(SYS_read, number, reinterpret_cast<long>(&got), sizeof got);
  file.semaphore = got == 1;
  if (file.semaphore) os::system_call(SYS_read, number, reinterpret_cast<long>(&got), sizeof got);
  if (!file.semaphore && file.count != 0)
    os::system_call(SYS_write, number, reinterpret_cast<long>(&file.count), sizeof file.count);
}

// --- how epoll sets are

// Two numbers of one open file?
bool are_copies(int one, int other) {
  const auto at = [](int number) {
    return std::find_if(private_files->numbers.data(), private_files->numbers.data() + private_files->number_count,
                        [=](const PrivateNumber& known) { return known.number == number; });
  };
  return at(one)->file == at(other)->file && at(one)->end == at(other)->end;
}

bool is_one_of(const PrivateFile& set, unsigned except, int number) {
  for (unsigned i = set.first_member; i < set.first_member + set.member_count; ++i)
    if (i != except && is_private_file(private_files->members[i].number) &&
        are_copies(private_files->members[i].number, number))
      return true;
  return false;
}

// One that has told what it is to tell once tells nothing any more.
bool can_be_registered(const SetMember& member) { return (member.events & ~kHowItTells) != 0; }

// False: not all of them are known, and what may be registered there is not either.
bool read_members(PrivateFile& set, int number) {
  const char* text = information_on(number);
  set.first_member = private_files->member_count;
  for (std::uint64_t member = 0, events = 0, data = 0; text != nullptr && read_number(text, "tfd:", 10, member);) {
    if (!read_number(text, "events:", 16, events) || !read_number(text, "data:", 16, data)) return false;
    if (private_files->member_count == kMaxSetMembers) return false;
    private_files->members[private_files->member_count++] = {static_cast<int>(member),
                                                             static_cast<std::uint32_t>(events), data, false};
    ++set.member_count;
    if (member >= kPrivateNumbers || !can_be_registered(private_files->members[private_files->member_count - 1]))
      set.excluded = true;
  }
  return text != nullptr;
}

// Only private files that are no sets, and each of them once: by a second number its events come in an order of their
// own.
void check_members(PrivateFile& set) {
  for (unsigned i = set.first_member; i < set.first_member + set.member_count && !set.excluded; ++i) {
    const int number = private_files->members[i].number;
    set.excluded = !is_private_file(number) || is_one_of(set, i, number) ||
                   file_at(private_files->file_of[static_cast<std::size_t>(number)]).kind == PrivateKind::EpollSet;
  }
}

// Those that have something to tell, in their order. False: which these are can't be seen.
bool order_by_events(PrivateFile& set, const epoll_event* events, long count) {
  SetMember* at = &private_files->members[set.first_member];
  SetMember* const end = at + set.member_count;
  for (long i = 0; i < count; ++i) {
    const auto is_it = [&](const SetMember& member) { return member.data == events[i].data.u64; };
    if (std::count_if(at, end, is_it) != 1) return false;
    std::swap(*at, *std::find_if(at, end, is_it));
    ++at;
  }
  for (; at != end; ++at) {
    pollfd entry{at->number, static_cast<short>(at->events & ~kHowItTells), 0};
    at->told = os::system_call(SYS_poll, reinterpret_cast<long>(&entry), 1, 0) > 0;
    if (at->told && (at->events & EPOLLET) == 0) return false;
  }
  return true;
}

// What the number leads to now is what is registered under it.
bool is_registered(int set, const SetMember& member) {
  epoll_event event{};
  event.events = member.events & ~static_cast<std::uint32_t>(EPOLLEXCLUSIVE);
  event.data.u64 = member.data;
  return (member.events & EPOLLEXCLUSIVE) == 0 &&
         os::system_call(SYS_epoll_ctl, set, EPOLL_CTL_MOD, member.number, reinterpret_cast<long>(&event)) == 0;
}

void inspect_set(unsigned index) {
  PrivateFile& set = file_at(index);
  const int number = first_number(index, 0);
  auto* events = reinterpret_cast<epoll_event*>(process_inspection.room);
  const long count = os::system_call(SYS_epoll_wait, number, reinterpret_cast<long>(events), kMaxSetMembers, 0);
  if (count < 0 || !order_by_events(set, events, count)) set.excluded = true;
  for (unsigned i = set.first_member; i < set.first_member + set.member_count && !set.excluded; ++i)
    set.excluded = !is_registered(number, private_files->members[i]);
}

// --- what hangs together

template <typename Visit>
void for_each_of(PrivateKind kind, Visit visit) {
  for (unsigned i = 0; i < private_files->file_count; ++i)
    if (file_at(i).kind == kind) visit(i);
}

// A set is left out with what is registered in it, and with each of these the sets that it is in.
void exclude_together() {
  for (bool changed = true; changed;) {
    changed = false;
    for_each_of(PrivateKind::EpollSet, [&](unsigned index) {
      PrivateFile& set = file_at(index);
      for (unsigned i = set.first_member; i < set.first_member + set.member_count; ++i) {
        const int number = private_files->members[i].number;
        if (!is_private_file(number)) continue;
        PrivateFile& member = file_at(private_files->file_of[static_cast<std::size_t>(number)]);
        if (member.excluded == set.excluded) continue;
        member.excluded = set.excluded = changed = true;
      }
    });
  }
}

void join_sets() {
  for (unsigned i = 0; i < private_files->file_count; ++i) file_at(i).renewed_with_it = std::uint64_t{1} << i;
  for_each_of(PrivateKind::EpollSet, [&](unsigned index) {
    const PrivateFile& set = file_at(index);
    for (unsigned i = set.first_member; i < set.first_member + set.member_count; ++i) {
      const int number = private_files->members[i].number;
      if (is_private_file(number))
        file_at(private_files->file_of[static_cast<std::size_t>(number)]).renewed_with_it |= std::uint64_t{1} << index;
    }
  });
}

// Those that are left out are none. False: there are no others.
bool keep_the_rest() {
  unsigned kept = 0;
  for (unsigned i = 0; i < private_files->number_count; ++i) {
    const PrivateNumber one = private_files->numbers[i];
    if (file_at(one.file).excluded)
      private_files->file_of[static_cast<std::size_t>(one.number)] = kNoPrivateFile;
    else
      private_files->numbers[kept++] = one;
  }
  private_files->number_count = kept;
  return kept != 0;
}

bool find_them() {
  if (!find_numbers() || private_files->file_count == 0) return false;
  bool all_known = true;
  for_each_of(PrivateKind::EpollSet,
              [&](unsigned set) { all_known = all_known && read_members(file_at(set), first_number(set, 0)); });
  if (!all_known) return false;
  for_each_of(PrivateKind::EpollSet, [](unsigned set) { check_members(file_at(set)); });
  for_each_of(PrivateKind::Pipe, inspect_pipe);
  for_each_of(PrivateKind::SocketPair, inspect_pair);
  exclude_together();
  for_each_of(PrivateKind::EpollSet, [](unsigned set) {
    if (!file_at(set).excluded) inspect_set(set);
  });
  exclude_together();
  for_each_of(PrivateKind::EventCounter, [](unsigned counter) {
    if (!file_at(counter).excluded) inspect_counter(counter);
  });
  exclude_together();
  join_sets();
  return keep_the_rest();
}

}  // namespace

void note_socket_pair(int first, int second) {
  struct stat one {
  }, other{};
  std::uint64_t type[2];
  if (permanent_pairs.count == kMaxPairs || os::system_call(SYS_fstat, first, reinterpret_cast<long>(&one)) != 0 ||
      os::system_call(SYS_fstat, second, reinterpret_cast<long>(&other)) != 0 || option_of(first, SO_TYPE, type) != 0)
    return;
  permanent_pairs.all[permanent_pairs.count++] = {{one.st_ino, other.st_ino}, static_cast<int>(type[0])};
}

void find_private_files() {
  if (had_children() || inherits_unknown_descriptors()) return;  // others may have them, too
  process_inspection.room = static_cast<char*>(os::reserve_or_die(kRoom));
  if (!all_are_examined()) return;
  private_files = static_cast<PermanentPrivateFiles*>(os::reserve_or_die(sizeof(PermanentPrivateFiles)));
  private_files->file_of.fill(kNoPrivateFile);
  if (!find_them()) private_files = nullptr;
}

}  // namespace heddle::runtime
