// The plan of the current execution, and those that wait after it, read from the ring.
#pragma once

#include "protocol/plan.h"
#include "runtime/ring/split_points.h"

namespace heddle::runtime {

// Waits for the plan behind the present one and leaves it in the ring: its header.
PlanHeader await_plan();
// Gives the present plan's room in the ring back and goes on to the next, which is followed from `from_step` on. False:
// the driver wants us to end.
bool read_plan(std::uint32_t from_step = 0);
// The plan that was read last was not run: the next read_plan() gives it again.
void unread_plan();
// The present plan, as it is in the ring. Not a copy: that would leave the plan's number on the stack of whichever task
// asks, and a program that reads dead stack memory would find another one in each execution and replay.
const PlanHeader& plan();
// The deltas of the present plan as they are in the ring.
std::uint32_t planned_deltas();
Delta planned_delta(std::uint32_t index);
// What it has for its policy (policies.h).
std::uint32_t policy_words();
std::uint64_t policy_word(std::uint32_t index);
template <PolicyKind kPolicy>
std::uint32_t policy_items() {
  return policy_words() / kWordsOf<PolicyItem<kPolicy>>;
}
template <PolicyKind kPolicy>
PolicyItem<kPolicy> policy_item(std::uint32_t index) {
  constexpr std::uint32_t kWords = kWordsOf<PolicyItem<kPolicy>>;
  std::uint64_t words[kWords];
  for (std::uint32_t i = 0; i < kWords; ++i) words[i] = policy_word(index * kWords + i);
  PolicyItem<kPolicy> item;
  __builtin_memcpy(static_cast<void*>(&item), words, sizeof item);
  return item;
}
// The choice that the plan demands at `step`, if any. Steps must be asked for in ascending order.
bool planned_choice(std::uint32_t step, Choice& choice);
// Does it demand that a wait ends by timeout there?
bool plans_timeout(std::uint32_t step);
// The next step for which the plan demands a choice; the greatest number: none.
std::uint32_t next_planned_step();
// From here on it demands nothing.
void abandon_plan();

// How many steps the present plan and the one behind it (await_plan()) have in common for sure.
std::uint32_t common_steps();
// Where behind `beyond` the present plan splits from those that wait: see SplitPoints.
unsigned find_split_points(std::uint32_t beyond, SplitPoint* split_points, unsigned capacity);

// The way that the present plan has gone up to the decision of some step: its first so many deltas. What the default
// decides is not in it.
unsigned planned_before(std::uint32_t step);
// Copies the first deltas of the present plan.
void copy_planned(char* to, unsigned deltas);
// Does the plan behind the present one go the same way up to the decision of `step`? `rules`: of the plan that went it
// (rules_of()); `way`: see copy_planned().
bool next_plan_begins_with(std::uint32_t rules, const char* way, unsigned deltas, std::uint32_t step);
// Is the present plan's way determined by its deltas?
bool plan_is_deterministic();

}  // namespace heddle::runtime
