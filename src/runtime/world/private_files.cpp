// See private_files.h.
#include "runtime/world/private_files.h"

#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/os/system_call.h"
#include "runtime/state/runtime.h"
#include "runtime/world/private_file_table.h"

namespace heddle::runtime {

HEDDLE_PERMANENT PermanentPrivateFiles* private_files = nullptr;

namespace {

struct PermanentUse {
  std::uint64_t used = 0;  // a bit for each file
  bool inodes_differ = false;
};
HEDDLE_PERMANENT constinit PermanentUse permanent_use{};

const PrivateFile& file_at(long descriptor) {
  return private_files->files[private_files->file_of[static_cast<unsigned>(descriptor)]];
}

bool is_in(std::uint64_t files, unsigned file) { return (files >> file & 1) != 0; }

// It counts as ended from outside, as it is where memory is short.
[[noreturn]] void give_up() {
  os::complain("heddle: the system could not make a descriptor of the program anew\n");
  for (;;) os::system_call(SYS_kill, os::process_id(), SIGKILL);
}

template <typename Visit>
void for_each_number(unsigned file, int end, Visit visit) {
  for (unsigned i = 0; i < private_files->number_count; ++i) {
    const PrivateNumber& one = private_files->numbers[i];
    if (one.file == file && one.end == end) visit(one);
  }
}

bool closes_at_exec(unsigned file) {
  bool closes = false;
  for_each_number(file, 0, [&](const PrivateNumber& one) { closes = closes || one.closes_at_exec; });
  return closes;
}

// What has been made as `made` gets all the numbers of this end, and no other.
void place(int made, bool made_closing, unsigned file, int end) {
  bool stays = false;
  for_each_number(file, end, [&](const PrivateNumber& one) {
    if (one.number != made) {
      const long flag = one.closes_at_exec ? O_CLOEXEC : 0;
      if (os::system_call(SYS_dup3, made, one.number, flag) < 0) give_up();
      return;
    }
    stays = true;
    if (one.closes_at_exec != made_closing)
      os::system_call(SYS_fcntl, made, F_SETFD, one.closes_at_exec ? FD_CLOEXEC : 0);
  });
  if (!stays) os::system_call(SYS_close, made);
}

bool has_number(unsigned file, int end, int number) {
  bool found = false;
  for_each_number(file, end, [&](const PrivateNumber& one) { found = found || one.number == number; });
  return found;
}

// Beyond all numbers that are to be given out.
int moved_up(int descriptor) {
  const int highest = private_files->numbers[private_files->number_count - 1].number;
  const long moved = os::system_call(SYS_fcntl, descriptor, F_DUPFD_CLOEXEC, highest + 1);
  if (moved < 0) give_up();
  os::system_call(SYS_close, descriptor);
  return static_cast<int>(moved);
}

// Where one end was made under the number of the other, both make room first.
void place_both(int (&ends)[2], bool closing, unsigned file) {
  if (has_number(file, 1, ends[0]) || has_number(file, 0, ends[1])) {
    for (int& end : ends) end = moved_up(end);
    closing = true;
  }
  for (const int end : {0, 1}) place(ends[end], closing, file, end);
}

void fill(int descriptor, const PrivateFile& file) {
  const char* from = private_files->contents.data() + file.contents_at;
  for (std::size_t left = file.contents_size; left != 0;) {
    const long written = os::system_call(SYS_write, descriptor, reinterpret_cast<long>(from), static_cast<long>(left));
    if (written <= 0) give_up();
    from += written;
    left -= static_cast<std::size_t>(written);
  }
}

std::uint64_t inode_of(int descriptor) {
  struct stat status {};
  os::system_call(SYS_fstat, descriptor, reinterpret_cast<long>(&status));
  return status.st_ino;
}

// They were made with what both have.
void set_flags(const int (&ends)[2], const PrivateFile& file) {
  if (file.flags[0] == file.flags[1]) return;
  for (const int end : {0, 1}) os::system_call(SYS_fcntl, ends[end], F_SETFL, file.flags[end]);
}

void make_pipe(unsigned number) {
  constexpr long kUsualCapacity = 65536;
  PrivateFile& file = private_files->files[number];
  const bool closing = closes_at_exec(number);
  int ends[2] = {};
  const long flags = (file.flags[0] & file.flags[1]) | (closing ? O_CLOEXEC : 0);
  if (os::system_call(SYS_pipe2, reinterpret_cast<long>(ends), flags) != 0) give_up();
  if (file.capacity != kUsualCapacity) os::system_call(SYS_fcntl, ends[1], F_SETPIPE_SZ, file.capacity);
  fill(ends[1], file);
  set_flags(ends, file);
  file.presents[0] = file.presents[1] = inode_of(ends[0]);
  permanent_use.inodes_differ = true;
  place_both(ends, closing, number);
}

void make_pair(unsigned number) {
  PrivateFile& file = private_files->files[number];
  const bool closing = closes_at_exec(number);
  int ends[2] = {};
  const long flags = (file.flags[0] & file.flags[1]) | (closing ? SOCK_CLOEXEC : 0);
  if (os::system_call(SYS_socketpair, AF_UNIX, file.type | flags, 0, reinterpret_cast<long>(ends)) != 0) give_up();
  set_flags(ends, file);
  for (const int end : {0, 1}) file.presents[end] = inode_of(ends[end]);
  permanent_use.inodes_differ = true;
  place_both(ends, closing, number);
}

void make_counter(unsigned number) {
  const PrivateFile& file = private_files->files[number];
  const bool closing = closes_at_exec(number), fits = file.count <= UINT32_MAX;
  const long flags = file.flags[0] | (file.semaphore ? EFD_SEMAPHORE : 0) | (closing ? EFD_CLOEXEC : 0);
  const long made = os::system_call(SYS_eventfd2, fits ? static_cast<long>(file.count) : 0, flags);
  if (made < 0) give_up();
  if (!fits) os::system_call(SYS_write, made, reinterpret_cast<long>(&file.count), sizeof file.count);
  place(static_cast<int>(made), closing, number, 0);
}

void make_set(unsigned number) {
  const bool closing = closes_at_exec(number);
  const long made = os::system_call(SYS_epoll_create1, closing ? EPOLL_CLOEXEC : 0);
  if (made < 0) give_up();
  if (private_files->files[number].flags[0] != 0)
    os::system_call(SYS_fcntl, made, F_SETFL, private_files->files[number].flags[0]);
  place(static_cast<int>(made), closing, number, 0);
}

void make(unsigned number) {
  switch (private_files->files[number].kind) {
    case PrivateKind::Pipe:
      return make_pipe(number);
    case PrivateKind::SocketPair:
      return make_pair(number);
    case PrivateKind::EventCounter:
      return make_counter(number);
    case PrivateKind::EpollSet:
      return make_set(number);
  }
}

int number_of_set(unsigned file) {
  int number = -1;
  for_each_number(file, 0, [&](const PrivateNumber& one) { number = one.number; });
  return number;
}

// The set reports first once more what it had reported before.
void forget_told(int set, unsigned told) {
  epoll_event events[8];
  while (told != 0) {
    const long found = os::system_call(SYS_epoll_wait, set, reinterpret_cast<long>(events), 8, 0);
    if (found <= 0) return;
    told -= static_cast<unsigned>(found) < told ? static_cast<unsigned>(found) : told;
  }
}

void register_members(unsigned file) {
  const PrivateFile& set = private_files->files[file];
  const int number = number_of_set(file);
  unsigned told = 0;
  for (const bool first : {true, false}) {
    for (unsigned i = set.first_member; i < set.first_member + set.member_count; ++i) {
      const SetMember& member = private_files->members[i];
      if (member.told != first) continue;
      epoll_event event{};
      event.events = member.events;
      event.data.u64 = member.data;
      if (os::system_call(SYS_epoll_ctl, number, EPOLL_CTL_ADD, member.number, reinterpret_cast<long>(&event)) != 0)
        give_up();
      if (first) ++told;
    }
    if (first) forget_told(number, told);
  }
}

// In the order of their numbers, so that most get theirs at once: all below are taken. Sets are filled when everything
// is there.
void renew(std::uint64_t files) {
  for (unsigned i = 0; i < private_files->number_count; ++i)
    if (is_in(files, private_files->numbers[i].file)) os::system_call(SYS_close, private_files->numbers[i].number);
  for (unsigned file = 0; file < private_files->file_count; ++file)
    if (is_in(files, file)) make(file);
  for (unsigned file = 0; file < private_files->file_count; ++file)
    if (is_in(files, file) && private_files->files[file].kind == PrivateKind::EpollSet) register_members(file);
}

}  // namespace

bool is_private_file(long descriptor) {
  const auto number = static_cast<unsigned>(descriptor);
  return private_files != nullptr && number < kPrivateNumbers && private_files->file_of[number] != kNoPrivateFile;
}

bool is_private_set(long descriptor) {
  return is_private_file(descriptor) && file_at(descriptor).kind == PrivateKind::EpollSet;
}

bool use_private_file(long descriptor) {
  if (!is_private_file(descriptor)) return false;
  permanent_use.used |= file_at(descriptor).renewed_with_it;
  return true;
}

bool used_private_files() { return permanent_use.used != 0; }

void renew_used_files() {
  if (permanent_use.used == 0 || private_files == nullptr) return;
  renew(permanent_use.used);
  permanent_use.used = 0;
}

void renew_all_files() {
  for (unsigned file = 0; private_files != nullptr && file < private_files->file_count; ++file)
    if (!private_files->files[file].excluded) permanent_use.used |= std::uint64_t{1} << file;
  renew_used_files();
}

std::uint64_t first_inode(std::uint64_t inode) {
  for (unsigned i = 0; permanent_use.inodes_differ && i < private_files->file_count; ++i)
    for (const int end : {0, 1})
      if (private_files->files[i].presents[end] == inode) return private_files->files[i].inodes[end];
  return inode;
}

}  // namespace heddle::runtime
