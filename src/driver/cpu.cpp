// See cpu.h. A claim is an abstract Unix socket with the CPU's number in its name: it goes with the process, however
// that ends.
#include "driver/cpu.h"

#include <sched.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <string>
#include <vector>

namespace heddle {
namespace {

std::vector<int> affinity() {
  constexpr int kMostProcessors = 8192;
  cpu_set_t* set = CPU_ALLOC(kMostProcessors);
  const std::size_t size = CPU_ALLOC_SIZE(kMostProcessors);
  std::vector<int> result;
  if (sched_getaffinity(0, size, set) == 0)
    for (int cpu = 0; cpu < kMostProcessors; ++cpu)
      if (CPU_ISSET_S(cpu, size, set)) result.push_back(cpu);
  CPU_FREE(set);
  return result;
}

Descriptor claim(int cpu) {
  Descriptor result(socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string name = "heddle-cpu-" + std::to_string(cpu);
  std::memcpy(address.sun_path + 1, name.data(), name.size());  // a NUL in front: no file
  const auto length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size());
  const bool ours = result && bind(result.get(), reinterpret_cast<const sockaddr*>(&address), length) == 0;
  return ours ? std::move(result) : Descriptor();
}

}  // namespace

std::uint32_t usable_processors() { return std::max(1u, static_cast<std::uint32_t>(affinity().size())); }

CpuClaim::CpuClaim() {
  std::vector<int> cpus = affinity();
  if (cpus.size() < 2) return;
  // The highest first: the first CPU serves most interrupts, and the one we are on is best left to us.
  std::reverse(cpus.begin(), cpus.end());
  std::stable_partition(cpus.begin(), cpus.end(), [here = sched_getcpu()](int cpu) { return cpu != here; });
  for (const int cpu : cpus) {
    socket_ = claim(cpu);
    if (!socket_) continue;
    cpu_ = cpu;
    return;
  }
}

}  // namespace heddle
