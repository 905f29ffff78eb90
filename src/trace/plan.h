// A plan as the driver holds it; protocol/plan.h is its form in the ring.
#pragma once

#include <cstdint>
#include <vector>

#include "protocol/plan.h"

namespace heddle {

struct Plan {
  PlanId id = 0;
  std::vector<Delta> deltas;  // ascending by step
  PolicyKind policy = PolicyKind::Default;
  std::uint64_t seed = 0;  // for PolicyKind::Random
  bool stacks = false;     // record call stacks
};

}  // namespace heddle
