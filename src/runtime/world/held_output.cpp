// See held_output.h. On a snapshot descriptors 1 and 2 are what they were at the branching point: an execution that
// moves them leads to fork isolation.
#include "runtime/world/held_output.h"

#include <sys/syscall.h>

#include "runtime/ring/output.h"
#include "runtime/snapshot/user_memory.h"
#include "runtime/state/runtime.h"
#include "runtime/world/undo.h"

namespace heddle::runtime {
namespace {

constexpr long kFirst = 1, kLast = 2;  // standard output and standard error
constexpr long kMaxAtOnce = 4096;      // of which the first and the last word say whether all can be read

struct PermanentCapture {
  bool is_captured[kLast + 1] = {};
};
HEDDLE_PERMANENT constinit PermanentCapture permanent_capture{};

}  // namespace

void note_standard_output() {
  for (long descriptor = kFirst; descriptor <= kLast; ++descriptor)
    permanent_capture.is_captured[descriptor] = is_captured_output(static_cast<int>(descriptor));
}

bool leads_to_output(long descriptor) {
  return on_snapshot() && descriptor >= kFirst && descriptor <= kLast && permanent_capture.is_captured[descriptor];
}

bool hold_output(const SystemCall& call, long& result) {
  const long size = call.arguments[2];
  if (!leads_to_output(call.arguments[0]) || size <= 0 || size > kMaxAtOnce || output_flags_changed()) return false;
  const auto* const text = reinterpret_cast<const char*>(call.arguments[1]);
  if (!can_read(text, static_cast<std::size_t>(size))) return false;
  if (!hold_text(text, static_cast<std::size_t>(size))) return false;
  result = size;
  return true;
}

}  // namespace heddle::runtime
