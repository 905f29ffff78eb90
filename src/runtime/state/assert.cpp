// A failed HEDDLE_ASSERT in the target. It calls nothing of libc, which may depend on what has failed.
#include "protocol/assert.h"

#include "runtime/os/system_call.h"
#include "runtime/state/runtime.h"

namespace heddle {
namespace {

constexpr int kError = 2;
// The driver goes by what was handed over; this is for a process that nobody controls.
constexpr int kAbortedStatus = 134;

class Text {
 public:
  void add(const char* part) {
    while (*part != '\0' && size_ + 1 < sizeof text_) text_[size_++] = *part++;
  }
  void add(int number) {
    char digits[12];
    unsigned at = sizeof digits;
    digits[--at] = '\0';
    for (auto left = static_cast<unsigned>(number); at != 0 && (left != 0 || digits[at] == '\0'); left /= 10)
      digits[--at] = static_cast<char>('0' + left % 10);
    add(digits + at);
  }
  const char* text() const { return text_; }
  std::size_t size() const { return size_; }

 private:
  char text_[kReasonCapacity] = {};
  std::size_t size_ = 0;
};

}  // namespace

void fail_assertion(const char* what, const char* condition, const char* file, int line) {
  Text text;
  text.add(what);
  text.add(" (");
  text.add(condition);
  text.add(", at ");
  text.add(within_sources(file));
  text.add(":");
  text.add(line);
  text.add(")");
  Shared* const shared = runtime::runtime.shared;
  const bool controlled = shared != nullptr && runtime::runtime.mode != runtime::Mode::Detached;
  if (controlled) {
    for (std::size_t i = 0; i <= text.size(); ++i) shared->status.failed_assertion[i] = text.text()[i];
    shared->status.assertion_failed.store(1, std::memory_order_release);
  } else {
    os::system_call(SYS_write, kError, reinterpret_cast<long>(text.text()), static_cast<long>(text.size()));
  }
  os::exit_process(kAbortedStatus);
}

}  // namespace heddle
