// The random walk: at each step one of the eligible tasks, each with the same probability, and one of the alternatives
// of its operation. Early timeouts and spurious ends take part in the draw with a sixteenth of a task's weight: with
// the full weight every watchdog would fire in every run.
//
// Walks differ in how often they preempt. Many bugs need a thread to run for long while the others stand still, and
// that hardly ever happens if every step is drawn anew. (Half a million such walks did not find a bug with ten threads
// of which one must be stopped, and a certain other one must run then.) So the walks come in four kinds: a thread that
// could go on is left always, or one time in 4, 16 or 64.
#include "model/choices.h"
#include "protocol/mix.h"
#include "runtime/ring/plan_reader.h"
#include "runtime/schedule/policy/policy.h"
#include "runtime/state/runtime.h"

namespace heddle::runtime {
namespace {

constexpr std::uint64_t kTaskWeight = 16;
constexpr std::uint64_t kRareWeight = 1;

struct ExecutionRandom {
  std::uint64_t state = 0;
  std::uint64_t leaves_one_in = 1;
};
constinit ExecutionRandom execution_random{};

// SplitMix64.
std::uint64_t next_random() {
  execution_random.state += kGoldenRatio;
  return scrambled(execution_random.state);
}

// `limit` is at least 1.
std::uint64_t below(std::uint64_t limit) { return limit > 1 ? next_random() % limit : 0; }

// Calls visit(choice, weight) for every choice but for the ordinary alternatives beyond the first.
template <typename Visit>
void for_each_choice(const model::World& world, Visit visit) {
  for (std::uint32_t i = 0; i < world.population().task_count(); ++i) {
    const auto id = static_cast<TaskId>(i);
    const std::uint8_t bits = world.task(id).state;
    if ((bits & TaskState::Eligible) != 0) visit(Choice{id, 0}, kTaskWeight);
    if ((bits & TaskState::Timeout) != 0) visit(Choice{id, kTimeout}, kRareWeight);
    if ((bits & TaskState::Spurious) != 0) visit(Choice{id, kSpurious}, kRareWeight);
  }
}

void start() {
  execution_random.state = policy_items<PolicyKind::Random>() != 0 ? policy_item<PolicyKind::Random>(0).seed : 0;
  execution_random.leaves_one_in = std::uint64_t{1} << 2 * below(4);
}

Choice with_variant(const model::World& world, Choice choice) {
  if (choice.variant != 0) return choice;
  if (const std::uint16_t variants = model::variants(world, choice.task); variants > 1)
    choice.variant = static_cast<Variant>(below(variants));
  return choice;
}

Choice draw(const model::World& world, const model::Decision& decision) {
  if (decision.nothing_enabled) return decision.choice;  // time passes in the order of the deadlines
  const bool stays = decision.switch_costs && below(execution_random.leaves_one_in) != 0;
  if (stays || is_unpreemptible(decision)) return with_variant(world, {decision.last, 0});
  std::uint64_t total = 0;
  for_each_choice(world, [&](Choice, std::uint64_t weight) { total += weight; });
  if (total == 0) return decision.choice;
  std::uint64_t ticket = below(total);
  Choice drawn = decision.choice;
  bool found = false;
  for_each_choice(world, [&](Choice choice, std::uint64_t weight) {
    if (found) return;
    found = ticket < weight;
    if (found) drawn = choice;
    ticket -= found ? 0 : weight;
  });
  return with_variant(world, drawn);
}

bool pick_random(const model::World& world, const model::Decision& decision, Choice& choice) {
  choice = draw(world, decision);
  return true;
}

}  // namespace

extern const Policy kRandomPolicy = {.start = start, .pick = pick_random};

}  // namespace heddle::runtime
