// Follows segments, in their order: so many steps of a task each. Where a task can't go on, or has ended, the rest of
// its segment is left out. Behind the last one the default decides. So every list of segments leads to an execution,
// also one from which some were taken out (driver/explore/reduction.h).
#include "model/choices.h"
#include "runtime/ring/plan_reader.h"
#include "runtime/schedule/policy/policy.h"
#include "runtime/state/runtime.h"

namespace heddle::runtime {
namespace {

struct PermanentSegments {
  std::uint32_t next = 0;  // the segment behind the present one
  std::uint32_t left = 0;  // steps of the present one
  Choice choice;           // of the present one
};
HEDDLE_PERMANENT constinit PermanentSegments permanent_segments{};

void start() { permanent_segments = {}; }

// The present segment's choice, if it can be made.
bool take(const model::World& world, Choice& choice) {
  PermanentSegments& present = permanent_segments;
  Choice wanted = present.choice;
  if (!model::allowed(world, wanted)) wanted.variant = 0;
  if (!model::allowed(world, wanted)) return false;
  --present.left;
  choice = wanted;
  return true;
}

bool pick_segments(const model::World& world, const model::Decision& decision, Choice& choice) {
  PermanentSegments& present = permanent_segments;
  choice = decision.choice;
  if (is_unpreemptible(decision)) {
    choice = {decision.last, 0};
    if (present.left != 0 && present.choice.task == decision.last) --present.left;
    return true;
  }
  for (;;) {
    if (present.left != 0 && take(world, choice)) return true;
    if (present.next >= policy_items<PolicyKind::Segments>()) return true;
    const Segment segment = policy_item<PolicyKind::Segments>(present.next++);
    present.choice = segment.choice;
    present.left = segment.steps;
  }
}

}  // namespace

extern const Policy kSegmentsPolicy = {.start = start, .pick = pick_segments};

}  // namespace heddle::runtime
