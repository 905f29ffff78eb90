// A mapping of more than a terabyte, made and given back again and again while races are looked for: the detector
// forgets only what was touched.
// build: heddle-cc
// heddle: run --max-preemptions=2 --time=60s
// expect: clean bound 2
#include <sys/mman.h>

#include <atomic>
#include <cassert>
#include <thread>

namespace {

constexpr std::size_t kBytes = std::size_t{1200} << 30;
std::atomic<int> count;

void use_mapping() {
  ++count;
  void* const memory =
      mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  assert(memory != MAP_FAILED);
  auto* const bytes = static_cast<char*>(memory);
  assert(bytes[0] == 0 && bytes[kBytes - 1] == 0);
  bytes[0] = bytes[kBytes - 1] = 1;
  ++count;
  assert(munmap(memory, kBytes) == 0);
}

}  // namespace

int main() {
  char* const before = static_cast<char*>(
      mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
  assert(before != MAP_FAILED);
  std::thread other([before] {
    before[0] = 1;
    use_mapping();
  });
  before[kBytes - 1] = 1;
  use_mapping();
  other.join();
}
