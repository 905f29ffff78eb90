// The plan of the current execution, read from the ring.
#pragma once

#include "protocol/plan.h"

namespace heddle::runtime {

// Gives the last plan's room in the ring back and waits for the next plan. False: the driver wants us to end.
bool read_plan();
PlanHeader plan();
// The choice that the plan demands at `step`, if any. Steps must be asked for in ascending order.
bool planned_choice(std::uint32_t step, Choice& choice);

}  // namespace heddle::runtime
