// See checkpoints.h.
#include "runtime/isolation/checkpoints.h"

#include <x86intrin.h>

#include "runtime/descriptors.h"
#include "runtime/isolation/snapshot.h"
#include "runtime/isolation/undo.h"
#include "runtime/plan_reader.h"
#include "runtime/recorder.h"
#include "runtime/runtime.h"
#include "runtime/scheduler.h"

namespace heddle::runtime {

constexpr std::uint32_t kNever = UINT32_MAX;
std::uint32_t next_checkpoint_step = kNever;

namespace {

constexpr unsigned kMostCandidates = 128;  // so many plans are looked at
// Before the first one the cost is not known: copying some tens of pages.
constexpr std::uint64_t kLeastCost = 5'000;  // ticks

HEDDLE_PERMANENT std::uint32_t candidates[kMostCandidates] = {};  // descending
HEDDLE_PERMANENT unsigned candidates_left = 0;                    // candidates[0 .. left) are still to come

void next_candidate() {
  next_checkpoint_step = candidates_left != 0 ? candidates[--candidates_left] : kNever;
  look_ahead();
}

// The time from which on a checkpoint saves more than it costs, in ticks: it is used at least once. (Asking for two or
// three times the cost was slower.)
std::uint64_t worthwhile() {
  const std::uint64_t cost = level_cost();
  return cost > kLeastCost ? cost : kLeastCost;
}

bool always() { return config.checkpoints == CheckpointChoice::Always; }
bool pays() { return always() || __rdtsc() - last_level_at() > worthwhile(); }

// Looking at the plans costs as much as some steps, for each execution: not for those that are over before it would
// pay. (Short tests of 30 steps lost a fifth of their speed to it; from about 60 steps on it is worth it.)
bool wanted() {
  if (config.checkpoints == CheckpointChoice::Auto) return level_count() > 1 || whole_run() > 2 * worthwhile();
  return always();
}

}  // namespace

void plan_checkpoints() {
  candidates_left = wanted() ? shared_steps(candidates, kMostCandidates) : 0;
  next_candidate();
  while (next_checkpoint_step <= runtime.world->steps()) next_candidate();
}

void consider_checkpoint() {
  next_candidate();
  if (!pays() || kernel_state_changed()) return;
  if (!take_level(level_marks_here())) return;
  // Another plan goes on from here. Between reading and recording nothing may take time: a process that is killed there
  // has used up a plan without a trace of it.
  const LevelMarks& marks = level_marks(level_count() - 1);
  read_plan();
  record_resumed(plan().id, marks);
  plan_checkpoints();
}

}  // namespace heddle::runtime
