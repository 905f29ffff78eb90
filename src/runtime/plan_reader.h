// The plan of the current execution, read from the ring.
#pragma once

#include "protocol/plan.h"

namespace heddle::runtime {

// Waits for the next plan and keeps a private copy (bounded by the size of the ring). False: the driver wants us to
// end.
bool read_plan();
const PlanHeader& plan();
// The choice that the plan demands at `step`, if any. Steps must be asked for in ascending order.
bool planned_choice(std::uint32_t step, Choice& choice);

}  // namespace heddle::runtime
