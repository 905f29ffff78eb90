// A plan as the driver holds it; protocol/plan.h is its form in the ring.
#pragma once

#include <absl/container/inlined_vector.h>

#include <cstdint>

#include "protocol/plan.h"

namespace heddle {

// Plans of a bounded search are short: those need no allocation.
using Deltas = absl::InlinedVector<Delta, 5>;

struct Plan {
  PlanId id = 0;
  Deltas deltas;  // ascending by step
  PolicyKind policy = PolicyKind::Default;
  std::uint64_t seed = 0;       // for PolicyKind::Random
  bool stacks = false;          // record call stacks
  bool own_process = false;     // under snapshot isolation: in a forked process instead
  bool afresh = false;          // from the branching point, not from a checkpoint
  std::uint32_t loop_from = 0;  // see PlanHeader
  bool finish_freely = false;   // where it can't be followed, go on by default choices
  bool memory = false;          // at its end, record what the program's variables hold
};

// The last planned step; sleepers follow it (protocol/plan.h). Null when nothing is planned.
inline const Delta* last_delta(const Plan& plan) {
  for (std::size_t i = plan.deltas.size(); i-- > 0;)
    if ((plan.deltas[i].step & kSleeper) == 0) return &plan.deltas[i];
  return nullptr;
}

}  // namespace heddle
