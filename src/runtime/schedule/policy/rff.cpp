// Reads-from feedback: partial order sampling that is steered towards an abstract schedule, which says which operations
// are to see whose changes. A task whose operation would break the schedule stops before it, as long as another can go
// on.
//
// Source: Wolff, Shi, Duck, Mathur, Roychoudhury, Greybox Fuzzing for Concurrency Testing, ASPLOS 2024, section 4 (the
// proactive scheduler). The driver makes the schedules (search/rff.cpp). Where we deviate: every operation on an object
// reads it, so locks and condition variables have constraints, too. A schedule that can't be met is given up after a
// while.
#include "protocol/operations.h"
#include "runtime/ring/plan_reader.h"
#include "runtime/schedule/policy/policy.h"
#include "runtime/schedule/policy/priorities.h"
#include "runtime/schedule/policy/walk.h"

namespace heddle::runtime {
namespace {

constexpr unsigned kMostConstraints = 16;
constexpr unsigned kPatience = 4096;  // so many decisions may put an operation off, in an execution

struct Constraint {
  std::uint64_t address;
  Site writer, reader;
  Site last_writer;  // who has changed the object last; 0: nobody
  bool never;
  bool met;
};

struct PermanentRff {
  Constraint all[kMostConstraints] = {};
  unsigned count = 0;
  unsigned patience = 0;
};
HEDDLE_PERMANENT constinit PermanentRff permanent_rff{};

void start() {
  const std::uint32_t items = policy_items<PolicyKind::Rff>();
  start_walk(items != 0 ? policy_item<PolicyKind::Rff>(0).walk : Walk());
  start_priorities();
  permanent_rff.count = 0;
  permanent_rff.patience = kPatience;
  for (std::uint32_t i = 0; i < items && permanent_rff.count < kMostConstraints; ++i) {
    const RffItem item = policy_item<PolicyKind::Rff>(i);
    if (item.address == 0) continue;
    permanent_rff.all[permanent_rff.count++] = {item.address, item.writer, item.reader, 0, item.never != 0, false};
  }
}

bool is_on(const model::World& world, const model::Operation& operation, const Constraint& constraint) {
  const auto is_it = [&](ObjectId id) { return id != kNoObject && world.object(id).address == constraint.address; };
  return is_it(operation.object) || is_it(operation.object2);
}

bool may_write(const model::Operation& operation) { return (traits(operation.kind) & OperationTraits::Write) != 0; }

bool breaks(const model::Operation& operation, const Constraint& constraint) {
  const bool holds = constraint.last_writer == constraint.writer;
  if (operation.site == constraint.reader) return holds == constraint.never;
  // Between the change and who is to see it nothing else is to change the object.
  return !constraint.never && holds && may_write(operation);
}

bool is_put_off(const model::World& world, TaskId task) {
  const model::Operation& pending = world.task(task).pending;
  for (unsigned i = 0; i < permanent_rff.count; ++i) {
    const Constraint& constraint = permanent_rff.all[i];
    if (!constraint.met && is_on(world, pending, constraint) && breaks(pending, constraint)) return true;
  }
  return false;
}

// Above all those that are put off.
constexpr std::uint64_t kInTime = std::uint64_t{1} << 32;
std::uint64_t rank_of(const model::World& world, TaskId task) {
  return (is_put_off(world, task) ? 0 : kInTime) | priority_of(task);
}

TaskId next(const model::World& world, const model::Decision& decision) {
  if (permanent_rff.count == 0 || permanent_rff.patience == 0)
    return highest_eligible(world, decision.last, priority_of);
  bool puts_off = false;
  const TaskId drawn = highest_eligible(world, decision.last, [&](TaskId task) {
    const std::uint64_t rank = rank_of(world, task);
    puts_off = puts_off || rank < kInTime;
    return rank;
  });
  permanent_rff.patience -= puts_off ? 1 : 0;
  return drawn;
}

void note_step(const model::World& world, TaskId task) {
  const model::Operation& made = world.task(task).pending;
  for (unsigned i = 0; i < permanent_rff.count; ++i) {
    Constraint& constraint = permanent_rff.all[i];
    if (!is_on(world, made, constraint)) continue;
    const bool holds = constraint.last_writer == constraint.writer;
    if (made.site == constraint.reader && !constraint.never) constraint.met = constraint.met || holds;
    if (may_write(made)) constraint.last_writer = made.site;
  }
}

bool pick_rff(const model::World& world, const model::Decision& decision, Choice& choice) {
  choice = pick_by(next, world, decision);
  redraw_priorities(world, choice.task);
  note_step(world, choice.task);
  return true;
}

}  // namespace

extern const Policy kRffPolicy = {.start = start, .pick = pick_rff};

}  // namespace heddle::runtime
