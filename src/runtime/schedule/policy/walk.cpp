// See walk.h.
#include "runtime/schedule/policy/walk.h"

#include "model/choices.h"
#include "protocol/mix.h"
#include "runtime/state/runtime.h"

namespace heddle::runtime {
namespace {

constexpr std::uint64_t kTaskWeight = 16;  // that of an early end is 1

struct PermanentWalk {
  std::uint64_t state = 0;
  std::uint32_t burst = 0;
  std::uint32_t stops_one_in = 0;
  std::uint64_t looks_one_in = 1;  // so often it is drawn whether a wait ends early
  Nanoseconds late_by = 0;         // no thread is slower: a wait that lasts longer does not end early
};
HEDDLE_PERMANENT constinit PermanentWalk permanent_walk{};

// How slow threads are in an execution: in every sixth by 1 ms at most, 10 ms, 100 ms, 1 s, 10 s, or by any time. So a
// watchdog of 40 s fires early in every sixth execution; in the others the program is seen to do what it is for. Not
// drawn as the rest is: executions without deadlines stay what they are without this.
Nanoseconds drawn_lateness(std::uint64_t seed) {
  constexpr Nanoseconds kShortest = 1'000'000;
  constexpr std::uint64_t kLengths = 5;
  const std::uint64_t length = scrambled(~seed) % (kLengths + 1);
  if (length == kLengths) return kNoDeadline;
  Nanoseconds late_by = kShortest;
  for (std::uint64_t i = 0; i < length; ++i) late_by *= 10;
  return late_by;
}

bool lasts_longer(const model::World& world, const model::Task& task) {
  const Nanoseconds now = world.clock().now();
  return task.pending.deadline > now && task.pending.deadline - now > permanent_walk.late_by;
}

// Calls visit(choice) for every wait that may end early.
template <typename Visit>
void for_each_early_end(const model::World& world, Visit visit) {
  for (std::uint32_t i = 0; i < world.population().task_count(); ++i) {
    const auto id = static_cast<TaskId>(i);
    const model::Task& task = world.task(id);
    const std::uint8_t bits = task.state;
    if ((bits & TaskState::Timeout) != 0 && !lasts_longer(world, task)) visit(Choice{id, kTimeout});
    if ((bits & TaskState::Spurious) != 0) visit(Choice{id, kSpurious});
  }
}

}  // namespace

void start_walk(const Walk& walk) {
  permanent_walk.state = walk.seed;
  permanent_walk.burst = walk.burst;
  permanent_walk.stops_one_in = walk.stops_one_in;
  permanent_walk.looks_one_in = std::uint64_t{1} << 2 * draw_below(4);
  permanent_walk.late_by = drawn_lateness(walk.seed);
}

// SplitMix64.
std::uint64_t draw_bits() {
  permanent_walk.state += kGoldenRatio;
  return scrambled(permanent_walk.state);
}

std::uint64_t draw_below(std::uint64_t limit) { return limit > 1 ? draw_bits() % limit : 0; }

bool must_stay(const model::World& world, const model::Decision& decision) {
  if (!decision.switch_costs) return false;
  return (decision.last == 0 && world.population().task_count() < permanent_walk.burst) || is_unpreemptible(decision);
}

bool draw_early_end(const model::World& world, const model::Decision& decision, Choice& choice) {
  if (draw_below(permanent_walk.looks_one_in) != 0) return false;
  std::uint64_t ends = 0;
  for_each_early_end(world, [&](Choice) { ++ends; });
  if (ends == 0) return false;
  std::uint64_t ticket = draw_below(decision.eligible * kTaskWeight + ends);
  bool drawn = false;
  for_each_early_end(world, [&](Choice one) {
    if (ticket-- != 0) return;
    choice = one;
    drawn = true;
  });
  return drawn;
}

Choice draw_variant(const model::World& world, Choice choice) {
  if (choice.variant != 0) return choice;
  const bool may_stop = permanent_walk.stops_one_in != 0 && runtime.tasks[choice.task].atomic_depth == 0;
  if (may_stop && is_release(world.task(choice.task).pending.kind) && model::allowed(world, {choice.task, kStop}) &&
      draw_below(permanent_walk.stops_one_in) == 0)
    return {choice.task, kStop};
  if (const std::uint16_t variants = model::variants(world, choice.task); variants > 1)
    choice.variant = static_cast<Variant>(draw_below(variants));
  return choice;
}

Choice pick_by(NextTask next, const model::World& world, const model::Decision& decision) {
  if (decision.nothing_enabled) return decision.choice;  // time passes in the order of the deadlines
  if (must_stay(world, decision)) return draw_variant(world, {decision.last, 0});
  Choice choice;
  if (draw_early_end(world, decision, choice)) return choice;
  if (decision.eligible == 0) return decision.choice;
  return draw_variant(world, {next(world, decision), 0});
}

}  // namespace heddle::runtime
