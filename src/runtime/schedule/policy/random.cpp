// The random walk: at each step one of the eligible tasks, each with the same probability, and one of the alternatives
// of its operation.
//
// Walks differ in how often they preempt. Many bugs need a thread to run for long while the others stand still, and
// that hardly ever happens if every step is drawn anew. (Half a million such walks did not find a bug with ten threads
// of which one must be stopped, and a certain other one must run then.) So the walks come in four kinds: a thread that
// could go on is left always, or one time in 4, 16 or 64.
#include "runtime/ring/plan_reader.h"
#include "runtime/schedule/policy/policy.h"
#include "runtime/schedule/policy/walk.h"

namespace heddle::runtime {
namespace {

struct PermanentRandom {
  std::uint64_t leaves_one_in = 1;
};
HEDDLE_PERMANENT constinit PermanentRandom permanent_random{};

void start() {
  start_walk(policy_items<PolicyKind::Random>() != 0 ? policy_item<PolicyKind::Random>(0) : Walk());
  permanent_random.leaves_one_in = std::uint64_t{1} << 2 * draw_below(4);
}

TaskId next(const model::World& world, const model::Decision& decision) {
  TaskId drawn = decision.last;
  std::uint64_t ticket = draw_below(decision.eligible);
  for_each_eligible(world, [&](TaskId task) {
    if (ticket-- == 0) drawn = task;
  });
  return drawn;
}

bool pick_random(const model::World& world, const model::Decision& decision, Choice& choice) {
  const bool stays = decision.switch_costs && draw_below(permanent_random.leaves_one_in) != 0;
  choice = stays ? draw_variant(world, {decision.last, 0}) : pick_by(next, world, decision);
  return true;
}

}  // namespace

extern const Policy kRandomPolicy = {.start = start, .pick = pick_random};

}  // namespace heddle::runtime
