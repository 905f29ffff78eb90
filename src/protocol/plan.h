// How to run one execution: what travels from the driver to the target, in slots of 32 bytes in the plan ring.
#pragma once

#include <cstdint>

#include "protocol/operations.h"

namespace heddle {

using PlanId = std::uint64_t;

// A deviation from the default behaviour: at `step`, make `choice`.
struct Delta {
  std::uint32_t step = 0;
  Choice choice;
  friend bool operator==(const Delta&, const Delta&) = default;
};
static_assert(sizeof(Delta) == 8);

// A choice that sleeps from a step on (model/sleep_set.h). Sleepers follow the deltas of a plan, in the same form:
// the step with kSleeper set, and with kSleeperWrote if the choice changes its object.
struct Sleeper {
  Choice choice;
  bool wrote = false;
};
inline constexpr std::uint32_t kSleeper = 0x80000000u, kSleeperWrote = 0x40000000u;
inline constexpr std::uint32_t kSleeperStep = kSleeperWrote - 1;  // the bits of the step
inline Delta sleeper_at(std::uint32_t step, const Sleeper& sleeper) {
  return {step | kSleeper | (sleeper.wrote ? kSleeperWrote : 0), sleeper.choice};
}

// What decides after the last delta. Default: never preempt the running task; when it can't go on, the lowest eligible
// id; when only timeouts can go on, the earliest deadline. Awake: the default among the choices that don't sleep; when
// all do, the execution ends (EndKind::Asleep). Under it the ordinary choice of a task whose object is closed is to end
// its wait by the deadline, where it may.
enum class PolicyKind : std::uint16_t { Default, Random, Awake };

struct PlanFlags {
  enum : std::uint16_t {
    Stacks = 1,         // record a call stack for every step
    OwnProcess = 4,     // under snapshot isolation: run it in a forked process instead
    Afresh = 8,         // from the branching point, not from a checkpoint
    FinishFreely = 16,  // from the step on at which it can't be followed, go on by default choices
    Memory = 32,        // at the end, record what the program's variables hold (MessageKind::Memory)
  };
};

// First slot of a plan; then ceil(delta_count / 4) slots of deltas, in ascending order of step.
struct PlanHeader {
  PlanId id = 0;
  std::uint32_t delta_count = 0;
  PolicyKind policy = PolicyKind::Default;
  std::uint16_t flags = 0;  // PlanFlags
  std::uint64_t seed = 0;   // for PolicyKind::Random
  std::uint32_t reserved = 0;
  // Not 0: at the decision after the last delta all is expected to be as it was at the decision of this step, and the
  // execution to end there (EndKind::Livelock). Costs a look at all memory.
  std::uint32_t loop_from = 0;
};
static_assert(sizeof(PlanHeader) == 32);

inline constexpr std::uint32_t kDeltasPerSlot = 4;
inline std::uint32_t plan_slots(std::uint32_t delta_count) {
  return 1 + (delta_count + kDeltasPerSlot - 1) / kDeltasPerSlot;
}

}  // namespace heddle
