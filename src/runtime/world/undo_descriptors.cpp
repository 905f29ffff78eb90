// See undo_descriptors.h. When an execution closes a regular file from before the branching point, the descriptor is
// kept open under another, high number. So the same open file can come back, with its position.
#include "runtime/world/undo_descriptors.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>

#include "runtime/os/system_call.h"
#include "runtime/snapshot/snapshot.h"
#include "runtime/state/runtime.h"
#include "runtime/state/up_calls.h"
#include "runtime/world/descriptors.h"
#include "runtime/world/private_files.h"

namespace heddle::runtime {
namespace {

constexpr int kLastStandard = 2;
constexpr int kHigh = 700;  // as the runtime's own
constexpr long kNumbers = 1024;
constexpr long kBits = 64;
constexpr SystemCallEffect kTooHigh{EffectLevel::Fork, "opens a descriptor with a number of 1024 or more"};

// A bit for each number.
class Numbers {
 public:
  bool has(long number) const {
    return number >= 0 && number < kNumbers && (words_[word(number)] >> (number % kBits) & 1) != 0;
  }
  void add(long number) {
    words_[word(number)] |= bit(number);
    any_ = true;
  }
  void remove(long number) { words_[word(number)] &= ~bit(number); }
  bool any() const { return any_; }  // or there were some
  template <typename Visit>
  void take_all(Visit visit) {
    for (std::size_t i = 0; any_ && i < words_.size(); ++i)
      for (; words_[i] != 0; words_[i] &= words_[i] - 1)
        visit(static_cast<long>(i) * kBits + __builtin_ctzll(words_[i]));
    any_ = false;
  }

 private:
  static std::size_t word(long number) { return static_cast<std::size_t>(number / kBits); }
  static std::uint64_t bit(long number) { return std::uint64_t{1} << (number % kBits); }

  std::array<std::uint64_t, kNumbers / kBits> words_;
  bool any_;
};

struct Closed {
  int descriptor, kept, flags;
};
struct ClosedFiles {
  std::array<Closed, 16> files;
  unsigned count;

  bool full() const { return count == files.size(); }
  const Closed* begin() const { return files.data(); }
  const Closed* end() const { return files.data() + count; }
};

struct PermanentDescriptors {
  Numbers opened{};
  ClosedFiles closed{};
  bool moved = false;  // a position of some file; two descriptors may share it
};
HEDDLE_PERMANENT constinit PermanentDescriptors permanent_descriptors{};

bool is_closed_here(long descriptor) {
  return std::any_of(permanent_descriptors.closed.begin(), permanent_descriptors.closed.end(),
                     [&](const Closed& one) { return one.descriptor == descriptor; });
}

bool is_regular(long descriptor) {
  struct stat status {};
  return os::system_call(SYS_fstat, descriptor, reinterpret_cast<long>(&status)) == 0 && S_ISREG(status.st_mode);
}

void keep_open(int descriptor) {
  const long flags = os::system_call(SYS_fcntl, descriptor, F_GETFD);
  const long kept = os::system_call(SYS_fcntl, descriptor, F_DUPFD_CLOEXEC, kHigh);
  if (kept < 0) stop_at_effect({EffectLevel::Fork}, "closes a descriptor that can't be kept", "close");
  permanent_descriptors.closed.files[permanent_descriptors.closed.count++] = {
      descriptor, static_cast<int>(kept), (flags & FD_CLOEXEC) != 0 ? O_CLOEXEC : 0};
}

// Closed here, the number may lead to what was opened here; else to what was there before.
bool is_from_before(long descriptor) { return !is_opened_here(descriptor) && !is_closed_here(descriptor); }

void before_closing(int descriptor) {
  if (descriptor > kLastStandard && !permanent_descriptors.closed.full() && is_from_before(descriptor) &&
      is_regular(descriptor))
    keep_open(descriptor);
}

void before_moving(long descriptor) {
  permanent_descriptors.moved =
      permanent_descriptors.moved || (is_from_before(descriptor) && has_known_position(descriptor));
}

bool opens_two(long number) { return number == SYS_pipe || number == SYS_pipe2 || number == SYS_socketpair; }

bool opens_one(long number) {
  switch (number) {
    case SYS_open:
    case SYS_openat:
    case SYS_openat2:
    case SYS_creat:
    case SYS_socket:
    case SYS_accept:
    case SYS_accept4:
    case SYS_eventfd:
    case SYS_eventfd2:
    case SYS_epoll_create:
    case SYS_epoll_create1:
    case SYS_memfd_create:
      return true;
    default:
      return false;
  }
}

bool copies(const SystemCall& call) {
  const bool moves = call.number == SYS_dup2 || call.number == SYS_dup3;
  if (call.number == SYS_fcntl) return call.arguments[1] == F_DUPFD || call.arguments[1] == F_DUPFD_CLOEXEC;
  return call.number == SYS_dup || (moves && call.arguments[0] != call.arguments[1]);
}

// The program knows a file that has been made anew as the one that it was.
void show_first_inode(const SystemCall& call) {
  if (call.number == SYS_newfstatat && (call.arguments[3] & AT_EMPTY_PATH) == 0) return;
  auto* const status = reinterpret_cast<struct stat*>(call.arguments[call.number == SYS_fstat ? 1 : 2]);
  if (S_ISFIFO(status->st_mode) || S_ISSOCK(status->st_mode)) status->st_ino = first_inode(status->st_ino);
}

}  // namespace

bool is_opened_here(long descriptor) { return permanent_descriptors.opened.has(static_cast<int>(descriptor)); }
bool is_own_file(long descriptor) { return is_opened_here(descriptor) || is_private_file(descriptor); }
bool undoes_moving(long descriptor) { return has_known_position(descriptor); }

bool undoes_closing(long descriptor, bool is_file) {
  return is_file && descriptor > kLastStandard && !permanent_descriptors.closed.full() && !is_closed_here(descriptor);
}

void before_descriptor_call(const SystemCall& call) {
  if (!on_snapshot()) return;
  const auto descriptor = static_cast<int>(call.arguments[0]);
  switch (call.number) {
    case SYS_close:
      before_closing(descriptor);
      break;
    case SYS_dup2:
    case SYS_dup3:
      if (call.arguments[0] != call.arguments[1]) before_closing(static_cast<int>(call.arguments[1]));
      break;
    case SYS_read:
    case SYS_readv:
    case SYS_lseek:
    case SYS_splice:
    case SYS_copy_file_range:
      before_moving(descriptor);
      break;
    case SYS_sendfile:
      before_moving(call.arguments[1]);
      break;
    default:
      break;
  }
}

// A copy of what is not the execution's own is not either. Before the branching point nothing is.
void after_descriptor_call(const SystemCall& call, long result) {
  if (result < 0 || runtime.mode != Mode::Branching) return;
  const long ends_at = call.arguments[call.number == SYS_socketpair ? 3 : 0];
  if (opens_two(call.number))
    for (const int end : *reinterpret_cast<const int(*)[2]>(ends_at)) on_opened(end);
  else if (opens_one(call.number) || (copies(call) && is_own_file(call.arguments[0])))
    on_opened(result);
  else if (call.number == SYS_close)
    on_closed(call.arguments[0]);
  else if (copies(call))
    on_closed(result);
  else if (call.number == SYS_fstat || call.number == SYS_newfstatat)
    show_first_inode(call);
}

void on_opened(long descriptor) {
  if (descriptor < kNumbers) return permanent_descriptors.opened.add(descriptor);
  if (on_snapshot()) stop_at_effect(kTooHigh, kTooHigh.what, "open");
}

void on_closed(long descriptor) {
  if (is_opened_here(descriptor)) permanent_descriptors.opened.remove(static_cast<int>(descriptor));
}

bool descriptors_changed() {
  return permanent_descriptors.opened.any() || permanent_descriptors.closed.count != 0 || permanent_descriptors.moved ||
         used_private_files();
}

// Positions last: those of files that were closed are moved back under the numbers that they had.
void undo_descriptors() {
  permanent_descriptors.opened.take_all([](long descriptor) { os::system_call(SYS_close, descriptor); });
  for (const Closed& one : permanent_descriptors.closed) {
    os::system_call(SYS_dup3, one.kept, one.descriptor, one.flags);
    os::system_call(SYS_close, one.kept);
  }
  permanent_descriptors.closed.count = 0;
  renew_used_files();
  if (permanent_descriptors.moved) restore_positions();
  permanent_descriptors.moved = false;
}

}  // namespace heddle::runtime
