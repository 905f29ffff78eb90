// See open_descriptors.h.
#include "runtime/os/open_descriptors.h"

#include <fcntl.h>

#include <utility>

#include "runtime/os/system_call.h"

namespace heddle::os {
namespace {

constexpr int kMaxTried = 1024;

int number_in(const char* text) {
  int number = 0;
  for (; *text >= '0' && *text <= '9'; ++text) number = number * 10 + (*text - '0');
  return number;
}

}  // namespace

OpenDescriptors::OpenDescriptors(int limit)
    : limit_(limit),
      folder_(system_call(SYS_openat, AT_FDCWD, reinterpret_cast<long>("/proc/self/fd"),
                          O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {}

OpenDescriptors::~OpenDescriptors() { close_list(); }

void OpenDescriptors::close_list() {
  if (listed()) system_call(SYS_close, std::exchange(folder_, -1));
}

int OpenDescriptors::next() { return listed() ? next_listed() : next_tried(); }

int OpenDescriptors::next_listed() {
  for (;;) {
    if (at_ >= filled_) {
      filled_ = system_call(SYS_getdents64, folder_, reinterpret_cast<long>(entries_), sizeof entries_);
      at_ = 0;
      if (filled_ == 0) return -1;
      if (filled_ < 0) {
        close_list();
        return next_tried();
      }
    }
    const auto* const entry = reinterpret_cast<const dirent64*>(entries_ + at_);
    at_ += entry->d_reclen;
    if (*entry->d_name == '.') continue;
    const int number = number_in(entry->d_name);
    tried_ = number + 1;
    if (number < limit_ && number != folder_) return number;
  }
}

int OpenDescriptors::next_tried() {
  for (; tried_ < limit_ && tried_ < kMaxTried; ++tried_)
    if (system_call(SYS_fcntl, tried_, F_GETFD) >= 0) return tried_++;
  return -1;
}

}  // namespace heddle::os
