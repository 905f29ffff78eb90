// See cpu.h. A claim is an abstract Unix socket with the CPU's number in its name: it disappears with the process,
// however that ends.
#include "driver/process/cpu.h"

#include <sched.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>
#include <vector>

namespace heddle {
namespace {

std::vector<int> affinity() {
  constexpr int kMaxProcessors = 8192;
  cpu_set_t* set = CPU_ALLOC(kMaxProcessors);
  const std::size_t size = CPU_ALLOC_SIZE(kMaxProcessors);
  std::vector<int> result;
  if (sched_getaffinity(0, size, set) == 0)
    for (int cpu = 0; cpu < kMaxProcessors; ++cpu)
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

namespace {

std::string first_line(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

// Processors that a "quota period" pair allows; 0: no limit.
unsigned allowed_by(const std::string& quota, const std::string& period) {
  char* end = nullptr;
  const double time = std::strtod(quota.c_str(), &end);
  if (end == quota.c_str() || time <= 0) return 0;
  const double each = std::strtod(period.c_str(), nullptr);
  return each > 0 ? std::max(1u, static_cast<unsigned>(time / each)) : 0;
}

// By the quotas of our control group; 0: no limit.
unsigned allowed_by_cgroup() {
  std::ifstream groups("/proc/self/cgroup");
  for (std::string line; std::getline(groups, line);) {
    if (!line.starts_with("0::")) continue;
    for (const std::string& folder : {"/sys/fs/cgroup" + line.substr(3), std::string("/sys/fs/cgroup")}) {
      const std::string limit = first_line(folder + "/cpu.max");
      const std::size_t space = limit.find(' ');
      if (space == std::string::npos) continue;
      if (const unsigned allowed = allowed_by(limit.substr(0, space), limit.substr(space + 1)); allowed != 0)
        return allowed;
    }
  }
  return allowed_by(first_line("/sys/fs/cgroup/cpu/cpu.cfs_quota_us"),
                    first_line("/sys/fs/cgroup/cpu/cpu.cfs_period_us"));
}

}  // namespace

unsigned default_workers() {
  const unsigned allowed = allowed_by_cgroup();
  return allowed == 0 ? usable_processors() : std::min(allowed, usable_processors());
}

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
