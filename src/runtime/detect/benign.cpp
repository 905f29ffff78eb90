// See benign.h.
#include "runtime/detect/benign.h"

#include "runtime/os/system_call.h"

namespace heddle::runtime {
namespace {

struct Range {
  std::uintptr_t begin, end;
};
constexpr unsigned kMax = 256;
Range* ranges = nullptr;  // allocated with the first
unsigned count = 0;

}  // namespace

void add_benign(std::uintptr_t begin, std::size_t size) {
  if (count == kMax) return;
  if (ranges == nullptr) ranges = static_cast<Range*>(os::allocate(kMax * sizeof *ranges));
  ranges[count++] = {begin, begin + size};
}

bool is_benign(std::uintptr_t address, std::size_t size) {
  for (unsigned i = 0; i < count; ++i)
    if (address < ranges[i].end && address + size > ranges[i].begin) return true;
  return false;
}

}  // namespace heddle::runtime
