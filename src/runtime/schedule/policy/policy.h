// What decides after the last delta of a plan. One file per policy.
//
// To add one: an enumerator in PolicyKind (protocol/plan.h), a file here, a line in pick() of policy.cpp.
#pragma once

#include "model/world.h"
#include "protocol/dependence.h"
#include "protocol/plan.h"
#include "runtime/state/up_calls.h"

namespace heddle::runtime {

// Called once at the beginning of an execution.
void start_policy(const PlanHeader& plan);
// Before each decision of a recorded execution, whether it is planned or not.
void before_step(const model::World& world);
// The choice to make at `decision` (status Go). False: none, the execution ends here (EndKind::Asleep).
bool pick(const model::World& world, const model::Decision& decision, Choice& choice);
// Does the policy want after_step() for each step? (Only one that wants StepMarks does: follows_steps().)
bool wants_steps();
void after_step(TaskId task, const Access& access);
// Does what the plan does not say follow the model's own default?
bool follows_default();
// Below which step does the policy make the default choice wherever allows_default() says so, and nothing else?
std::uint32_t default_until();
// Asked there, when it is the default that `task`, which ran last, goes on.
bool allows_default(const model::World& world, TaskId task);

// --- the policies
void start_random(std::uint64_t seed);
Choice pick_random(const model::World& world, const model::Decision& decision);
void start_awake();
void before_step_awake(const model::World& world);
bool pick_awake(const model::World& world, const model::Decision& decision, Choice& choice);
void after_step_awake(TaskId task, const Access& access);
bool awake_wants_steps();
std::uint32_t awake_default_until();
bool awake_allows_default(const model::World& world, TaskId task);

}  // namespace heddle::runtime
