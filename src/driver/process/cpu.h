// Which CPU the worker runs on. Heddle processes that run side by side (ctest -j) agree on it, so that two of them
// don't share one CPU while another is free.
#pragma once

#include <cstdint>

#include "driver/process/descriptor.h"

namespace heddle {

// How many CPUs this process may use.
std::uint32_t usable_processors();
// How many workers pay by default: as many as there are processors, by the affinity mask and the cgroup's quota.
unsigned default_workers();

// A CPU taken for this process, until the claim is destroyed. Other heddle processes of this network namespace see it.
class CpuClaim {
 public:
  CpuClaim();                       // takes a free one, if there are at least two to choose from
  int cpu() const { return cpu_; }  // -1: none; don't pin

 private:
  Descriptor socket_;
  int cpu_ = -1;
};

}  // namespace heddle
