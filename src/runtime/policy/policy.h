// What decides after the last delta of a plan. One file per policy.
//
// To add one: an enumerator in PolicyKind (protocol/plan.h), a file here, a line in pick() of policy.cpp.
#pragma once

#include "model/world.h"
#include "protocol/plan.h"

namespace heddle::runtime {

// Called once at the beginning of an execution.
void start_policy(const PlanHeader& plan);
// The choice to make at `decision` (status Go).
Choice pick(const model::World& world, const model::Decision& decision);
// Does what the plan does not say follow the model's own default?
bool follows_default();

// --- the policies
void start_random(std::uint64_t seed);
Choice pick_random(const model::World& world, const model::Decision& decision);

}  // namespace heddle::runtime
