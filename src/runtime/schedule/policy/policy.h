// A policy decides after the last delta of a plan. Each has a file with a `const Policy`; the table is
// protocol/policies.h, which says how to add one.
#pragma once

#include "model/world.h"
#include "protocol/dependence.h"
#include "protocol/plan.h"
#include "runtime/state/up_calls.h"

namespace heddle::runtime {

// A policy. What is null is as by default.
struct Policy {
  // At the beginning of an execution, when the plan has been read (plan_reader.h).
  void (*start)() = nullptr;
  // The choice to make at `decision` (status Go). False: none, the execution ends here (EndKind::Asleep).
  bool (*pick)(const model::World& world, const model::Decision& decision, Choice& choice) = nullptr;
  // Below which step does it make the default choice wherever allows_default() says so, and nothing else? By default:
  // everywhere if the plan determines the execution, else nowhere.
  std::uint32_t (*default_until)() = nullptr;
  // Asked there, when it is the default that `task`, which ran last, goes on.
  bool (*allows_default)(const model::World& world, TaskId task) = nullptr;
  // Before each decision of a recorded execution, whether it is planned or not.
  void (*before_step)(const model::World& world) = nullptr;
  // With PolicyTrait::Steps: does it want after_step() now?
  bool (*wants_steps)() = nullptr;
  void (*after_step)(TaskId task, const Access& access) = nullptr;
};

// Called once at the beginning of an execution: from here on the functions below are about this plan's policy.
void start_policy(const PlanHeader& plan);
void before_step(const model::World& world);
bool pick(const model::World& world, const model::Decision& decision, Choice& choice);
// Does the policy want after_step() for each step? (Only one that wants StepMarks does: follows_steps().)
bool wants_steps();
void after_step(TaskId task, const Access& access);
// Does what the plan does not say follow the model's own default?
bool follows_default();
std::uint32_t default_until();
bool allows_default(const model::World& world, TaskId task);

}  // namespace heddle::runtime
