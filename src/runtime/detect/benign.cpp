// See benign.h.
#include "runtime/detect/benign.h"

#include "runtime/os/system_call.h"

namespace heddle::runtime {
namespace {

struct Range {
  std::uintptr_t begin, end;
};
constexpr unsigned kMax = 256;
struct ExecutionBenign {
  Range* ranges = nullptr;  // allocated with the first
  unsigned count = 0;
};
constinit ExecutionBenign execution_benign{};

}  // namespace

void add_benign(std::uintptr_t begin, std::size_t size) {
  if (execution_benign.count == kMax) return;
  if (execution_benign.ranges == nullptr)
    execution_benign.ranges = static_cast<Range*>(os::allocate(kMax * sizeof *execution_benign.ranges));
  execution_benign.ranges[execution_benign.count++] = {begin, begin + size};
}

bool is_benign(std::uintptr_t address, std::size_t size) {
  for (unsigned i = 0; i < execution_benign.count; ++i)
    if (address < execution_benign.ranges[i].end && address + size > execution_benign.ranges[i].begin) return true;
  return false;
}

}  // namespace heddle::runtime
