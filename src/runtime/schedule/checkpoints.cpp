// See checkpoints.h.
#include "runtime/schedule/checkpoints.h"

#include <time.h>
#include <x86intrin.h>

#include "runtime/os/system_call.h"
#include "runtime/ring/plan_reader.h"
#include "runtime/ring/recorder.h"
#include "runtime/schedule/loops.h"
#include "runtime/snapshot/bookmarks.h"
#include "runtime/snapshot/snapshot.h"
#include "runtime/state/runtime.h"
#include "runtime/state/up_calls.h"

namespace heddle::runtime {

constexpr std::uint32_t kNever = UINT32_MAX;
constinit ExecutionCheckpoints execution_checkpoints{kNever};

namespace {

constexpr unsigned kMaxCandidates = 128;
// Before the first one the cost is not known: copying some tens of pages.
constexpr std::uint64_t kUnknownCost = 5'000;  // ticks
// What takes this long to run again is worth a bookmark.
constexpr std::int64_t kLongTime = 1'000'000;    // nanoseconds
constexpr std::uint64_t kLongTicks = 1'500'000;  // about the same or less, on any processor
constexpr std::uint64_t kCheckEvery = kLongTicks / 4;

struct PermanentCandidates {
  SplitPoint all[kMaxCandidates] = {};  // the deepest first
  unsigned left = 0;                    // all[0 .. left) are still to come
};
HEDDLE_PERMANENT constinit PermanentCandidates permanent_candidates{};

// Looking for long computations between two steps. What takes long is measured in processor time: others may have the
// processor for longer than any computation takes. The time stamp counter says when it pays to ask for that.
struct PermanentWatch {
  std::uint32_t every;         // so many steps between two looks; 0: no looking
  std::uint32_t next_step;     // of the next look
  std::uint32_t quick_checks;  // in a row, between which nothing took long
  std::uint64_t examined;      // in ticks
  std::uint64_t ask_at;        // in ticks: before that, no asking for the processor time
  std::int64_t level_clock;    // processor time when the present level was gone on from
  unsigned left;               // so many more executions are watched, though the last long one is over
  std::int64_t deepest_time;   // the greatest run_time of a bookmark
};
HEDDLE_PERMANENT PermanentWatch watch = {0, kNever, 0, 0, 0, 0, 4, 0};

std::int64_t processor_time() { return os::kernel_clock(CLOCK_THREAD_CPUTIME_ID); }

std::uint32_t next_candidate() {
  return permanent_candidates.left != 0 ? permanent_candidates.all[permanent_candidates.left - 1].step : kNever;
}

void set_next_step() {
  const std::uint32_t candidate = next_candidate();
  execution_checkpoints.next_step = candidate < watch.next_step ? candidate : watch.next_step;
  look_ahead();
}

// What taking a checkpoint costs, in ticks. To go back to it costs no more than to go back to the branching point.
std::uint64_t cost() { return take_cost() != 0 ? take_cost() : kUnknownCost; }

bool always() { return config.checkpoints == CheckpointChoice::Always; }
// Those that part behind this step may find a deeper one, so only those count that part here. (By calculation on the
// plans of short and long tests that comes to within one percent of the best that there is.)
bool pays(std::uint32_t uses, std::uint64_t now) { return always() || (now - last_level_at()) * uses > cost(); }

// Looking at the plans costs as much as a step or two, for each execution: not for those that are over before it pays.
bool wanted() {
  if (config.checkpoints != CheckpointChoice::Auto) return always();
  if (any_bookmarks() || whole_run() > cost()) return true;
  forget_take_cost();
  return false;
}

// Behind a long computation there is nothing to look for, and no time to lose.
bool worth_watching() {
  constexpr unsigned kWatched = 4;  // executions after a long one
  if (config.checkpoints != CheckpointChoice::Auto || !plan_is_deterministic()) return false;
  if (last_run() > kLongTicks) watch.left = kWatched;
  if (any_bookmarks() && top_level().run_time < watch.deepest_time / 2) return true;
  if (watch.left == 0) return false;
  --watch.left;
  return true;
}

void begin_watch() {
  watch.every = 0;
  watch.next_step = kNever;
  if (!worth_watching()) return;
  watch.every = 1;
  watch.quick_checks = 0;
  watch.next_step = runtime.world->schedule().steps().count() + 1;
  watch.examined = __rdtsc();
  watch.ask_at = watch.examined + kCheckEvery;
  watch.level_clock = processor_time();
}

// True: something may have taken long. Where many short steps follow each other, it looks less often.
bool check(std::uint64_t now) {
  constexpr std::uint64_t kLongStep = 1500;  // ticks
  constexpr std::uint32_t kRarely = 64, kManyQuick = 64;
  const bool quick = now - watch.examined < watch.every * kLongStep;
  watch.examined = now;
  if (!quick) {
    watch.every = 1;
    watch.quick_checks = 0;
  } else if (++watch.quick_checks == kManyQuick && watch.every < kRarely) {
    watch.every *= 2;
    watch.quick_checks = 0;
  }
  watch.next_step = runtime.world->schedule().steps().count() + watch.every;
  return now >= watch.ask_at;
}

// Processor time from the branching point to here; what was not watched is not in it.
std::int64_t run_time() { return top_level().run_time + processor_time() - watch.level_clock; }

// What making a bookmark here costs, in nanoseconds, and going on from it.
std::int64_t keeping_cost() {
  constexpr std::int64_t kStepBytes = 48, kBytesPerNanosecond = 4;  // in the driver's decoder
  return static_cast<std::int64_t>((take_cost() + restore_cost()) / 2) +
         runtime.world->schedule().steps().count() * kStepBytes / kBytesPerNanosecond;
}

// Is it worth a bookmark? Where no plan is known that parts here, they are to lie the further apart the longer the run.
LevelWish wish_here(bool candidate) {
  constexpr std::int64_t kApart = 8, kTimesKeeping = 4;
  if (always()) return {0, (runtime.world->schedule().steps().count() & 1) != 0, 1};
  LevelWish wish;
  wish.run_time = top_level().run_time;
  if (watch.every == 0) return wish;
  watch.ask_at = __rdtsc() + kCheckEvery;
  wish.run_time = run_time();
  wish.keep_cost = wish.run_time - kept_run_time();
  std::int64_t least = kTimesKeeping * keeping_cost();
  if (least < kLongTime) least = kLongTime;
  if (!candidate && least < wish.run_time / kApart) least = wish.run_time / kApart;
  wish.keep = wish.keep_cost >= least;
  return wish;
}

}  // namespace

void plan_checkpoints() {
  const bool checks = plan_is_deterministic() && wanted();
  permanent_candidates.left =
      checks ? find_split_points(runtime.world->schedule().steps().count(), permanent_candidates.all, kMaxCandidates)
             : 0;
  begin_watch();
  set_next_step();
}

void consider_checkpoint_here() {
  const std::uint64_t now = __rdtsc();  // once: it takes as long as a hundred instructions
  const std::uint32_t step = runtime.world->schedule().steps().count();
  const bool candidate = next_candidate() == step;
  const std::uint32_t uses = candidate ? permanent_candidates.all[--permanent_candidates.left].uses : 0;
  const bool long_way = watch.next_step == step && check(now) && runtime.world->population().live_tasks() > 1;
  set_next_step();
  const bool wanted_here = candidate && pays(uses, now);
  if ((!wanted_here && !long_way) || kernel_state_changed() || has_lasting_effect()) return;
  LevelWish wish = wish_here(candidate);
  wish.in_any_case = wanted_here;
  if (!wanted_here && !wish.keep) return;
  take_level(level_marks_here(), wish, now);
  if (watch.every == 0) return;
  watch.level_clock = processor_time();
  if (wish.keep && wish.run_time > watch.deepest_time) watch.deepest_time = wish.run_time;
}

}  // namespace heddle::runtime

// Another plan goes on from a level. Between reading and recording nothing may take time: a process that is killed
// there has used up a plan without a trace of it.
extern "C" __attribute__((used)) void heddle_behind_resume() {
  using namespace heddle::runtime;
  read_plan(runtime.world->schedule().steps().count());
  detect_loops_by_plan();
  record_resumed(plan().id, top_level().marks, bookmark_reached());
  plan_checkpoints();
}
