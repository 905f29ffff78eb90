// The policies, which decide after the last delta of a plan. One line each. The readers and writers of plans, on both
// sides and in trace files, know only what stands here. Each policy has a file in src/runtime/schedule/policy/.
//
// To add one: a line here, above it the structure that a plan has for it, if any, and that file.
#pragma once

#include <cstddef>
#include <cstdint>

#include "protocol/operations.h"

namespace heddle {

// A plan may have any number of items for its policy, all of the policy's own type: whole words of 64 bits.
struct NoItems {};
// What every walk has, that is, a policy that draws.
struct Walk {
  std::uint64_t seed = 0;
  // The first task is not preempted before there are so many tasks, itself included: it creates them one after another.
  std::uint32_t burst = 0;
  std::uint32_t stops_one_in = 0;  // behind one release of so many its task stops (kStop); 0: never
};
struct PctItem {
  Walk walk;
  std::uint32_t depth = 1;   // so many steps have to come in a certain order
  std::uint32_t length = 1;  // the steps of an execution
};
struct DelaysItem {
  Walk walk;
  std::uint32_t delays = 0;  // at so many steps
  std::uint32_t length = 1;  // the steps of an execution
};
// The first has the seed and the rest of a Walk, the second the address of the object whose operations are of interest
// (0: all operations are). Then one for each task in turn: how many such operations it will have.
struct SurwItem {
  std::uint64_t value = 0;
  std::uint32_t number = 0;
  std::uint32_t stops_one_in = 0;
};
// A walk, and one constraint on who sees whose change. An operation at the place `reader` on the object at `address` is
// to come when one at `writer` was the last to change it (0: when nobody has yet); or never then. The seed and the rest
// of the walk are the first item's. Without an address it has no constraint.
struct RffItem {
  Walk walk;
  std::uint64_t address = 0;
  Site writer = 0;
  Site reader = 0;
  std::uint64_t never = 0;
};
// So many steps of a task in a row; or one, of a variant other than the ordinary one.
struct Segment {
  Choice choice;
  std::uint32_t steps = 0;
};
// A choice that sleeps from a step on (model/sleep_set.h), the same for all of a plan.
struct Sleeper {
  std::uint32_t step : 31 = 0;
  std::uint32_t wrote : 1 = 0;  // the choice changes its object
  Choice choice;
  static Sleeper from(std::uint32_t step, Choice choice, bool wrote) { return {step & 0x7fffffffu, wrote, choice}; }
};

struct PolicyTrait {
  enum : unsigned {
    Determined = 1,  // the way of an execution follows from the deltas of its plan
    // Plans are orders of steps: a task's ordinary choice is to end its wait by the deadline, where its object is
    // closed and it may; and there need not be such an order (EndKind::Asleep).
    Orders = 2,
    Steps = 4,  // it looks at each step: StepMarks and the places of objects are recorded
  };
};

// Default: never preempt the running task; when it can't go on, the lowest eligible id; when only timeouts can go on,
// the earliest deadline. Awake: the default among the choices that don't sleep; when all do, the execution ends
// (EndKind::Asleep). Marked: the default; what partial-order reduction wants to know is recorded. Segments: what it is
// told, as far as that can be done, then the default. The others draw; each says in its file how.
// clang-format off
#define HEDDLE_POLICIES(ONE)                                                        \
  ONE(Default, "default", NoItems, PolicyTrait::Determined)                         \
  ONE(Random, "random", Walk, 0)                                                    \
  ONE(Pct, "pct", PctItem, 0)                                                       \
  ONE(Pos, "pos", Walk, 0)                                                          \
  ONE(Surw, "surw", SurwItem, 0)                                                    \
  ONE(Rff, "rff", RffItem, 0)                                                       \
  ONE(Delays, "delays", DelaysItem, 0)                                              \
  ONE(Segments, "segments", Segment, 0)                                             \
  ONE(Awake, "awake", Sleeper, PolicyTrait::Orders | PolicyTrait::Steps)            \
  ONE(Marked, "marked", NoItems, PolicyTrait::Determined | PolicyTrait::Steps)
// clang-format on

#define HEDDLE_ENUMERATOR(name, word, Item, traits) name,
enum class PolicyKind : std::uint16_t { HEDDLE_POLICIES(HEDDLE_ENUMERATOR) Count };
#undef HEDDLE_ENUMERATOR

template <PolicyKind kPolicy>
struct PolicyItemOf;
#define HEDDLE_ITEM(name, word, Item, traits) \
  template <>                                 \
  struct PolicyItemOf<PolicyKind::name> {     \
    using Type = Item;                        \
  };
HEDDLE_POLICIES(HEDDLE_ITEM)
#undef HEDDLE_ITEM
template <PolicyKind kPolicy>
using PolicyItem = typename PolicyItemOf<kPolicy>::Type;

template <typename Item>
inline constexpr std::uint32_t kWordsOf = sizeof(Item) / sizeof(std::uint64_t);  // 0: there are no items

struct PolicyRow {
  unsigned traits;
  std::uint32_t words;  // of an item
};
#define HEDDLE_ROW(name, word, Item, traits) {traits, kWordsOf<Item>},
inline constexpr PolicyRow kPolicyRows[] = {HEDDLE_POLICIES(HEDDLE_ROW)};
#undef HEDDLE_ROW
#define HEDDLE_WHOLE_WORDS(name, word, Item, traits) \
  static_assert(kWordsOf<Item> == 0 || sizeof(Item) % sizeof(std::uint64_t) == 0);
HEDDLE_POLICIES(HEDDLE_WHOLE_WORDS)
#undef HEDDLE_WHOLE_WORDS

// Of a number that may come from memory that the program can write to.
inline bool has_trait(PolicyKind policy, unsigned trait) {
  return policy < PolicyKind::Count && (kPolicyRows[static_cast<unsigned>(policy)].traits & trait) != 0;
}
// Are so many words whole items of the policy?
inline bool are_items(PolicyKind policy, std::size_t words) {
  if (policy >= PolicyKind::Count) return false;
  const std::uint32_t each = kPolicyRows[static_cast<unsigned>(policy)].words;
  return each == 0 ? words == 0 : words % each == 0;
}

}  // namespace heddle
