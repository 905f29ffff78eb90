// See code_area.h.
#include "runtime/patch/code_area.h"

#include <sys/mman.h>
#include <sys/syscall.h>

#include "protocol/page.h"
#include "runtime/os/system_call.h"

namespace heddle::runtime {
namespace {

constexpr Site kPage = kPageBytes;

}  // namespace

bool is_in_reach(Site from, Site to) {
  constexpr std::int64_t kReach = (std::int64_t{1} << 31) - (std::int64_t{1} << 20);
  const auto distance = static_cast<std::int64_t>(to - from);
  return -kReach < distance && distance < kReach;
}

void* map_code_area(Site file, std::size_t bytes) {
  constexpr Site kApart = Site{1} << 20, kTries = 1024;
  for (Site tries = 1; tries <= kTries; ++tries) {
    const Site at = (file & ~(kApart - 1)) - tries * kApart;
    const long result =
        os::system_call(SYS_mmap, static_cast<long>(at), static_cast<long>(bytes), PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
    if (result == static_cast<long>(at)) return reinterpret_cast<void*>(at);
    if (result > 0) os::system_call(SYS_munmap, result, static_cast<long>(bytes));
  }
  return nullptr;
}

bool protect_code(const void* memory, std::size_t bytes, long protection) {
  const auto begin = reinterpret_cast<Site>(memory) & ~(kPage - 1);
  const Site end = (reinterpret_cast<Site>(memory) + bytes + kPage - 1) & ~(kPage - 1);
  return os::system_call(SYS_mprotect, static_cast<long>(begin), static_cast<long>(end - begin), protection) == 0;
}

}  // namespace heddle::runtime
