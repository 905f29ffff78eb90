// How to run one execution: what travels from the driver to the target, in slots of 32 bytes in the plan ring.
#pragma once

#include <cstdint>

#include "protocol/operations.h"
#include "protocol/policies.h"

namespace heddle {

using PlanId = std::uint64_t;

// A deviation from the default behaviour: at `step`, make `choice`.
struct Delta {
  std::uint32_t step = 0;
  Choice choice;
  friend bool operator==(const Delta&, const Delta&) = default;
};
static_assert(sizeof(Delta) == 8);

struct PlanFlags {
  enum : std::uint16_t {
    Stacks = 1,         // record a call stack for every step
    OwnProcess = 4,     // under snapshot isolation: run it in a forked process instead
    Afresh = 8,         // from the branching point, not from a checkpoint
    FinishFreely = 16,  // from the step on at which it can't be followed, go on by default choices
    Memory = 32,        // at the end, record what the program's variables hold (MessageKind::Memory)
    Unfair = 64,        // a thread that yields in vain need not let the others go first
    Punctual = 128,     // no thread is slow: a clock read is no step
  };
};

// First slot of a plan; then the slots of its deltas, in ascending order of step; then those of the words that it has
// for its policy. There are kItemsPerSlot of either in a slot.
struct PlanHeader {
  PlanId id = 0;
  std::uint32_t delta_count = 0;
  PolicyKind policy = PolicyKind::Default;
  std::uint16_t flags = 0;         // PlanFlags
  std::uint32_t policy_words = 0;  // whole items of the policy's (policies.h)
  std::uint32_t max_steps = 0;     // an execution that takes more ends there; 0: as Config says
  std::uint32_t max_tasks = 0;     // one that creates more ends there, too; 0: any number
  // Not 0: at the decision after the last delta all is expected to be as it was at the decision of this step, and the
  // execution to end there (EndKind::Livelock). Costs a look at all memory.
  std::uint32_t loop_from = 0;
};
static_assert(sizeof(PlanHeader) == 32);

inline constexpr std::uint32_t kItemsPerSlot = 4;  // of deltas, and of words for the policy
static_assert(kItemsPerSlot * sizeof(Delta) == 32 && sizeof(Delta) == sizeof(std::uint64_t));
inline std::uint32_t item_slots(std::uint32_t items) { return (items + kItemsPerSlot - 1) / kItemsPerSlot; }
inline std::uint32_t plan_slots(std::uint32_t delta_count, std::uint32_t policy_words) {
  return 1 + item_slots(delta_count) + item_slots(policy_words);
}
// By what an execution decides beside the deltas. Executions of two plans with the same rules are alike up to the step
// at which the deltas differ.
inline std::uint32_t rules_of(const PlanHeader& plan) {
  return static_cast<std::uint32_t>(plan.policy) << 16 | (plan.flags & (PlanFlags::Unfair | PlanFlags::Punctual));
}
inline std::uint32_t plan_slots(const PlanHeader& header) {
  return plan_slots(header.delta_count, header.policy_words);
}

}  // namespace heddle
