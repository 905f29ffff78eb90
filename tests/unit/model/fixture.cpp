// Memory for the worlds of tests; see fixture.h.
#include "model/fixture.h"

#include <sys/mman.h>

#include <cstdlib>

namespace heddle::model {
namespace {

constexpr std::size_t kCapacity = std::size_t{1} << 30;
std::size_t used = 0;

char* region() {
  static void* const start =
      mmap(nullptr, kCapacity, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (start == MAP_FAILED) std::abort();
  return static_cast<char*>(start);
}

void* allocate(std::size_t bytes) {
  const std::size_t offset = used;
  used += (bytes + 63) / 64 * 64;
  if (used > kCapacity) std::abort();
  return region() + offset;
}

}  // namespace

World& fresh_world(const Limits& limits) {
  if (used != 0 && madvise(region(), used, MADV_DONTNEED) != 0) std::abort();
  used = 0;
  return *World::create(allocate, limits);
}

}  // namespace heddle::model
