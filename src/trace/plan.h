// A plan as the driver holds it; protocol/plan.h is its form in the ring.
#pragma once

#include <absl/container/inlined_vector.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>

#include "protocol/plan.h"

namespace heddle {

// Plans of a bounded search are short: those need no allocation.
using Deltas = absl::InlinedVector<Delta, 5>;

// What a plan has for its policy. Most have one word at most.
using PolicyWords = absl::InlinedVector<std::uint64_t, 1>;

struct Plan {
  PlanId id = 0;
  Deltas deltas;  // ascending by step
  PolicyKind policy = PolicyKind::Default;
  PolicyWords for_policy = {};  // whole items of its own type
  bool stacks = false;          // record call stacks
  bool own_process = false;     // under snapshot isolation: in a forked process instead
  bool afresh = false;          // from the branching point, not from a checkpoint
  std::uint32_t loop_from = 0;  // see PlanHeader
  bool finish_freely = false;   // where it can't be followed, go on by default choices
  bool fair = true;             // a thread that yields in vain lets the others go first
  bool slow_threads = true;     // a thread may be slow at a clock read
  bool memory = false;          // at its end, record what the program's variables hold
  std::uint32_t max_steps = 0;  // see PlanHeader
  std::uint32_t max_tasks = 0;  // see PlanHeader
};

// Has the policy decide behind the deltas, and adds an item for it.
template <PolicyKind kPolicy>
void tell_policy(Plan& plan, const PolicyItem<kPolicy>& item) {
  std::uint64_t words[kWordsOf<PolicyItem<kPolicy>>] = {};
  std::memcpy(words, &item, sizeof item);
  plan.policy = kPolicy;
  plan.for_policy.insert(plan.for_policy.end(), std::begin(words), std::end(words));
}

template <PolicyKind kPolicy>
std::size_t policy_items(const Plan& plan) {
  return plan.policy == kPolicy ? plan.for_policy.size() / kWordsOf<PolicyItem<kPolicy>> : 0;
}
template <PolicyKind kPolicy>
PolicyItem<kPolicy> policy_item(const Plan& plan, std::size_t index) {
  PolicyItem<kPolicy> item;
  std::memcpy(static_cast<void*>(&item), &plan.for_policy[index * kWordsOf<PolicyItem<kPolicy>>], sizeof item);
  return item;
}

// The last planned step. Null when nothing is planned.
inline const Delta* last_delta(const Plan& plan) { return plan.deltas.empty() ? nullptr : &plan.deltas.back(); }

}  // namespace heddle
