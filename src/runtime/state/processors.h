// The processors that the program sees, as opposed to the one that its worker is pinned to.
#pragma once

namespace heddle::runtime {

// Pins this process as the driver wants it, and remembers the affinity that the program is to see.
void pin_to_processor();

// While one lives, each thread has the affinity that the program sees. libc asks for one by the kernel's number of the
// thread; in a copy of the process that is nobody's.
class AffinityOfAnyone {
 public:
  AffinityOfAnyone();
  ~AffinityOfAnyone();
  AffinityOfAnyone(const AffinityOfAnyone&) = delete;
  AffinityOfAnyone& operator=(const AffinityOfAnyone&) = delete;
};

}  // namespace heddle::runtime
