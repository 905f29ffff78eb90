// See undo_descriptors.h. A descriptor from before that is closed is kept open under another, high number: what it
// leads to is then the same open file as before, with its position.
#include "runtime/isolation/undo_descriptors.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>

#include "runtime/descriptors.h"
#include "runtime/isolation/isolation.h"
#include "runtime/os/system_call.h"
#include "runtime/runtime.h"

namespace heddle::runtime {
namespace {

constexpr int kLastStandard = 2;
constexpr int kHigh = 700;  // as the runtime's own

struct Closed {
  int descriptor, kept, flags;
};
// As many as there is room for.
template <typename T, unsigned kMost>
class Few {
 public:
  bool full() const { return count_ == kMost; }
  bool empty() const { return count_ == 0; }
  T* begin() { return items_.data(); }
  T* end() { return items_.data() + count_; }
  void add(const T& item) { items_[count_++] = item; }
  void remove(T* item) { *item = items_[--count_]; }
  void clear() { count_ = 0; }

 private:
  std::array<T, kMost> items_;
  unsigned count_;
};

HEDDLE_PERMANENT Few<int, 64> opened{};
HEDDLE_PERMANENT Few<Closed, 16> closed{};
HEDDLE_PERMANENT bool moved = false;  // a position of some file; two descriptors may share it

bool is_closed_here(long descriptor) {
  return std::any_of(closed.begin(), closed.end(), [&](const Closed& one) { return one.descriptor == descriptor; });
}

bool is_regular(long descriptor) {
  struct stat status {};
  return os::system_call(SYS_fstat, descriptor, reinterpret_cast<long>(&status)) == 0 && S_ISREG(status.st_mode);
}

void keep_open(int descriptor) {
  const long flags = os::system_call(SYS_fcntl, descriptor, F_GETFD);
  const long kept = os::system_call(SYS_fcntl, descriptor, F_DUPFD_CLOEXEC, kHigh);
  if (kept < 0) stop_at_effect({EffectLevel::Fork}, "closes a descriptor that can't be kept", "close");
  closed.add({descriptor, static_cast<int>(kept), (flags & FD_CLOEXEC) != 0 ? O_CLOEXEC : 0});
}

// Closed here, the number may lead to what was opened here; else to what was there before.
bool is_from_before(long descriptor) { return !is_opened_here(descriptor) && !is_closed_here(descriptor); }

}  // namespace

bool is_opened_here(long descriptor) { return std::find(opened.begin(), opened.end(), descriptor) != opened.end(); }
bool undoes_opening() { return !opened.full(); }
bool undoes_moving(long descriptor) { return has_known_position(descriptor); }

bool undoes_closing(long descriptor, bool is_file) {
  return is_file && descriptor > kLastStandard && !closed.full() && !is_closed_here(descriptor);
}

void before_descriptor_call(const SystemCall& call) {
  const auto descriptor = static_cast<int>(call.arguments[0]);
  switch (call.number) {
    case SYS_close:
      if (descriptor > kLastStandard && !closed.full() && is_from_before(descriptor) && is_regular(descriptor))
        keep_open(descriptor);
      break;
    case SYS_read:
    case SYS_readv:
    case SYS_lseek:
      moved = moved || (is_from_before(descriptor) && has_known_position(descriptor));
      break;
    default:
      break;
  }
}

void after_descriptor_call(const SystemCall& call, long result) {
  const bool opens = call.number == SYS_openat || call.number == SYS_open || call.number == SYS_creat;
  if (opens && result >= 0 && !opened.full()) opened.add(static_cast<int>(result));
  if ((call.number == SYS_pipe || call.number == SYS_pipe2) && result == 0)
    for (const int end : *reinterpret_cast<const int(*)[2]>(call.arguments[0]))
      if (!opened.full()) opened.add(end);
  if (call.number != SYS_close || result != 0) return;
  int* const found = std::find(opened.begin(), opened.end(), static_cast<int>(call.arguments[0]));
  if (found != opened.end()) opened.remove(found);
}

bool descriptors_changed() { return !opened.empty() || !closed.empty() || moved; }

// Positions last: those of files that were closed are moved back under the numbers that they had.
void undo_descriptors() {
  for (const int descriptor : opened) os::system_call(SYS_close, descriptor);
  for (const Closed& one : closed) {
    os::system_call(SYS_dup3, one.kept, one.descriptor, one.flags);
    os::system_call(SYS_close, one.kept);
  }
  if (moved) put_positions_back();
  opened.clear();
  closed.clear();
  moved = false;
}

}  // namespace heddle::runtime
