// Selectively uniform random walk: of the events that are of interest, each order is about as likely as any other. The
// thread of the next such event is drawn by how many of them each thread has left; until that event has come, the
// others stop before theirs. All other steps are drawn at random.
//
// Source: Zhao, Wolff, Mathur, Roychoudhury, Selectively Uniform Concurrency Testing, ASPLOS 2025, algorithm 1. What is
// of interest (the operations on one object, or all) and how many events each thread will have is in the plan: the
// driver has counted them in earlier executions (search/surw.cpp). Where we deviate: objects are known by their
// addresses; a thread that has had more events than were counted has one left; where the thread that was drawn can't go
// on, another is drawn among those that can.
#include "runtime/ring/plan_reader.h"
#include "runtime/schedule/policy/policy.h"
#include "runtime/schedule/policy/walk.h"

namespace heddle::runtime {
namespace {

constexpr unsigned kMostCounted = 64;  // tasks with greater numbers have a weight of 1

struct PermanentSurw {
  std::uint64_t address = 0;  // of what is of interest; 0: everything
  TaskId intended = kNoTask;  // whose event is to come next
  std::uint32_t left[kMostCounted] = {};
};
HEDDLE_PERMANENT constinit PermanentSurw permanent_surw{};

void start() {
  const std::uint32_t items = policy_items<PolicyKind::Surw>();
  const SurwItem head = items != 0 ? policy_item<PolicyKind::Surw>(0) : SurwItem();
  start_walk({head.value, head.number, head.stops_one_in});
  permanent_surw.address = items > 1 ? policy_item<PolicyKind::Surw>(1).value : 0;
  permanent_surw.intended = kNoTask;
  for (std::uint32_t task = 0; task < kMostCounted; ++task)
    permanent_surw.left[task] = task + 2 < items ? policy_item<PolicyKind::Surw>(task + 2).number : 0;
}

bool is_of_interest(const model::World& world, TaskId task) {
  if (permanent_surw.address == 0) return true;
  const model::Operation& pending = world.task(task).pending;
  const auto is_it = [&](ObjectId id) { return id != kNoObject && world.object(id).address == permanent_surw.address; };
  return is_it(pending.object) || is_it(pending.object2);
}

// The first task has those of the tasks to come, too: it creates them.
std::uint64_t weight_of(const model::World& world, TaskId task) {
  std::uint64_t left = task < kMostCounted ? permanent_surw.left[task] : 1;
  if (task == 0)
    for (std::uint32_t other = world.population().task_count(); other < kMostCounted; ++other)
      left += permanent_surw.left[other];
  return left > 0 ? left : 1;
}

// One of those that `may` says, by the weights; kNoTask: there is none.
template <typename May>
TaskId draw_by_weight(const model::World& world, May may) {
  std::uint64_t total = 0;
  for_each_eligible(world, [&](TaskId task) { total += may(task) ? weight_of(world, task) : 0; });
  if (total == 0) return kNoTask;
  std::uint64_t ticket = draw_below(total);
  TaskId drawn = kNoTask;
  for_each_eligible(world, [&](TaskId task) {
    if (drawn != kNoTask || !may(task)) return;
    const std::uint64_t own = weight_of(world, task);
    if (ticket < own) drawn = task;
    ticket -= own;
  });
  return drawn;
}

TaskId next(const model::World& world, const model::Decision& decision) {
  const auto is_eligible = [&](TaskId task) { return (world.task(task).state & TaskState::Eligible) != 0; };
  const TaskId before = permanent_surw.intended;
  const TaskId intended =
      before != kNoTask && is_eligible(before) ? before : draw_by_weight(world, [](TaskId) { return true; });
  if (intended == kNoTask) return decision.choice.task;
  permanent_surw.intended = intended;
  // The others go on up to their events.
  std::uint64_t free = 0;
  const auto may = [&world, intended](TaskId task) { return task == intended || !is_of_interest(world, task); };
  for_each_eligible(world, [&](TaskId task) { free += may(task) ? 1 : 0; });
  std::uint64_t ticket = draw_below(free);
  TaskId drawn = intended;
  for_each_eligible(world, [&](TaskId task) {
    if (may(task) && ticket-- == 0) drawn = task;
  });
  return drawn;
}

bool pick_surw(const model::World& world, const model::Decision& decision, Choice& choice) {
  choice = pick_by(next, world, decision);
  if (is_of_interest(world, choice.task)) {
    if (choice.task < kMostCounted && permanent_surw.left[choice.task] > 0) --permanent_surw.left[choice.task];
    permanent_surw.intended = kNoTask;
  }
  return true;
}

}  // namespace

extern const Policy kSurwPolicy = {.start = start, .pick = pick_surw};

}  // namespace heddle::runtime
