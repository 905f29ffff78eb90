// Probabilistic concurrency testing: threads have random priorities, and the one with the highest runs. At each of
// depth - 1 steps drawn beforehand, the priority of the thread that would run falls below all others. A bug that needs
// `depth` ordered events is hit with probability 1/(n * k^(depth-1)) at least, with n threads and k steps.
//
// Source: Burckhardt, Kothari, Musuvathi, Nagarakatte, A Randomized Scheduler with Probabilistic Guarantees of Finding
// Bugs, ASPLOS 2010, section 3. Where we deviate: a step is a scheduling point, not an instruction; who yields in vain
// is held back by fairness, and not by a priority that falls; which waiter is woken is drawn, and so are early ends of
// waits, which the bound does not know of.
#include "protocol/mix.h"
#include "runtime/ring/plan_reader.h"
#include "runtime/schedule/policy/policy.h"
#include "runtime/schedule/policy/walk.h"

namespace heddle::runtime {
namespace {

constexpr unsigned kMostChanges = 15;

// A place where the priority of the running thread falls.
struct Change {
  std::uint32_t step;
  TaskId task;  // whose it was; kNoTask: it has not come
};

struct PermanentPct {
  std::uint64_t priorities = 0;  // what they are drawn from
  unsigned changes = 0;
  Change all[kMostChanges] = {};
};
HEDDLE_PERMANENT constinit PermanentPct permanent_pct{};

void start() {
  const PctItem item = policy_items<PolicyKind::Pct>() != 0 ? policy_item<PolicyKind::Pct>(0) : PctItem();
  start_walk(item.walk);
  permanent_pct.priorities = draw_bits();
  permanent_pct.changes = item.depth > kMostChanges ? kMostChanges : item.depth > 1 ? item.depth - 1 : 0;
  for (unsigned i = 0; i < permanent_pct.changes; ++i)
    permanent_pct.all[i] = {static_cast<std::uint32_t>(draw_below(item.length > 0 ? item.length : 1)), kNoTask};
}

// Below kMostChanges where it has fallen: the lower, the lower the number of the change (the paper's d - i).
std::uint64_t priority_of(TaskId task) {
  for (unsigned i = 0; i < permanent_pct.changes; ++i)
    if (permanent_pct.all[i].task == task) return i;
  return scrambled(permanent_pct.priorities + task * kGoldenRatio) | (kMostChanges + 1);
}

TaskId next(const model::World& world, const model::Decision& decision) {
  TaskId best = highest_eligible(world, decision.last, priority_of);
  const std::uint32_t step = world.schedule().steps().count();
  for (unsigned i = 0; i < permanent_pct.changes; ++i) {
    Change& change = permanent_pct.all[i];
    if (change.task != kNoTask || change.step > step) continue;
    for (unsigned other = 0; other < permanent_pct.changes; ++other)
      if (permanent_pct.all[other].task == best) permanent_pct.all[other] = {UINT32_MAX, kNoTask};
    change.task = best;
    best = highest_eligible(world, best, priority_of);
  }
  return best;
}

bool pick_pct(const model::World& world, const model::Decision& decision, Choice& choice) {
  choice = pick_by(next, world, decision);
  return true;
}

}  // namespace

extern const Policy kPctPolicy = {.start = start, .pick = pick_pct};

}  // namespace heddle::runtime
