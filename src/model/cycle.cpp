// The cycle of the model: publish, decide, step. See world.h.
#include "model/choices.h"
#include "model/evaluation.h"
#include "model/interrupts.h"
#include "model/object_model.h"
#include "model/spinning.h"
#include "model/world.h"
#include "protocol/assert.h"
#include "protocol/time_slice.h"

namespace heddle::model {
namespace {

bool at_yield(const Task& task) {
  return task.published && (task.pending.kind == OperationKind::Yield || task.spins || task.comes_round);
}

// It has stopped behind a release: the others go first.
bool is_stopped(const Task& task) {
  return task.published && task.pending.kind == OperationKind::Yield && task.pending.argument == kStoppedBehind;
}

// Is there nothing to a task's pending operation but what its object says: no deadline, no interrupt, no second object?
bool is_plain(const World& world, const Task& task) {
  return is_settled(world.schedule()) && task.interrupts == 0 && task.pending.deadline == kNoDeadline &&
         task.pending.object2 == kNoObject;
}

// Whether others are behind it has changed for them.
void count_one_shot(World& world, const Operation& operation, int change) {
  if (world.clock().count_one_shot(operation, change)) reevaluate_timed(world);
}

// The pending operation is there from now on.
void show(World& world, TaskId id) {
  Task& task = world.task(id);
  task.published = true;
  task.has_waited = false;
  world.population().link_pending(task, id);
  if (task.pending.deadline != kNoDeadline) world.clock().add(world.population(), id);
  count_one_shot(world, task.pending, 1);
  reevaluate(world, task, id);
}

void withdraw(World& world, Task& task, TaskId id) {
  if (!task.published) return;
  world.schedule().changes().leave_gate(world.population(), task, id);
  world.population().unlink_pending(task);
  world.clock().remove(world.population(), id);
  task.published = false;
  count_one_shot(world, task.pending, -1);
}

// What is there besides its object says whether it can take effect, or it yields.
[[gnu::noinline]] void publish_any(World& world, Task& task, TaskId id) {
  HEDDLE_ASSERT(!task.published, "a task publishes one operation at a time");
  Schedule& schedule = world.schedule();
  // A yield lowers the priority at once: the decision that follows is the one made "at the yield".
  task.spins = schedule.is_branching() && task.reads != nullptr && yields(world, id);
  task.comes_round = schedule.is_branching() && world.population().spin_places().may_be(task.pending.site) &&
                     world.population().spin_places().comes_round(task, schedule.fairness().steps_of(id));
  const bool yields = task.pending.kind == OperationKind::Yield && !yields_patiently(world, id);
  if (schedule.is_branching() && schedule.limits().fair && (yields || task.spins || task.comes_round))
    schedule.on_yield(task, id);
  show(world, id);
}

// The rest of decide() where nobody may go on. Apart, so that what it needs is not saved and fetched at every step.
[[gnu::noinline]] const Decision& decide_for_none(World& world, Decision& d) {
  HEDDLE_ASSERT(world.schedule().eligible_count() == 0, "nobody may go on here");
  if (const TaskId earliest = world.clock().earliest(world.population()); earliest != kNoTask && d.nothing_enabled) {
    d.choice = {earliest, kTimeout};
  } else if (release_spinning(world)) {
    return world.decide();
  } else {
    d.choice = Choice();
    d.status = Decision::Status::Deadlock;
  }
  return d;
}

// step() where most that it looks at is not there: of a pending operation with nothing to it but what its object says,
// with variant 0. No step that ends because its time is over is such a one.
Effect step_plainly(World& world, TaskId id, Task& task, const Decision& decision) {
  Steps& steps = world.schedule().steps();
  const ObjectId object = task.pending.object;
  steps.add_preemptions(id != decision.last && decision.switch_costs ? 1 : 0);
  steps.begin(id);
  steps.add();
  world.schedule().changes().leave_gate(world.population(), task, id);
  world.population().unlink_pending(task);
  task.published = false;
  const Effect effect = apply_operation(world, id, 0);
  if (__builtin_expect(effect.misuse != nullptr, 0)) {
    show(world, id);
    steps.take_back();
  } else {
    if (effect.completes) task.result = effect.result;
    task.variant = 0;
    task.yielded = false;
    steps.went_on(id);
    if (object != kNoObject) world.reevaluate_object(object);
    world.schedule().on_step(id);
  }
  if (task.published || task.ended) reevaluate(world, task, id);  // else it goes on, as it could before
  steps.end();
  return effect;
}

Effect take_effect(World& world, TaskId id, Variant variant) {
  Task& task = world.task(id);
  if (is_interrupted(world, task)) {
    const Interruption how = interruption_by(world, task, variant);
    withdraw(world, task, id);
    return follow_interrupt(world, id, how);
  }
  if (variant == kTimeout && task.pending.deadline > world.clock().now()) note_waits(world);
  if (variant == kTimeout) world.advance_clock(task.pending.deadline);
  const bool overdue = variant != kSpurious && task.pending.deadline <= world.clock().now() && !is_enabled(world, task);
  withdraw(world, task, id);
  const bool stops = variant == kStop;
  const Effect effect = apply_operation(world, id, overdue ? kTimeout : stops ? Variant{0} : variant);
  if (effect.completes) task.result = effect.result;
  if (stops && effect.misuse == nullptr) task.interruption = Interruption::Stopped;
  if (effect.misuse != nullptr) show(world, id);  // so that the end shows what it was about to do
  return effect;
}

// The step is over, and no misuse.
void count_step(Schedule& schedule, Task& task, TaskId id, const Effect& effect) {
  schedule.on_step(id);
  if (effect.timed_out && schedule.limits().fair) schedule.on_yield(task, id);
}

}  // namespace

void World::publish(TaskId id, const Operation& operation) {
  withdraw(*this, task(id), id);
  task(id).pending = operation;
  publish_draft(id);
}

void World::set_pending(TaskId id, const Operation& operation) {
  withdraw(*this, task(id), id);
  task(id).pending = operation;
  show(*this, id);
}

Operation& World::draft(TaskId id) {
  withdraw(*this, task(id), id);
  Operation& operation = task(id).pending;
  operation.object2 = kNoObject;
  operation.deadline = kNoDeadline;
  operation.argument = 0;
  operation.word = nullptr;
  operation.expected = 0;
  operation.result = 0;
  operation.interruptible = 0;
  operation.signal = 0;
  operation.patient = false;
  operation.one_shot = false;
  operation.stopped_behind = false;
  return operation;
}

void World::publish_draft(TaskId id) {
  Task& own = task(id);
  const bool may_yield = own.pending.kind == OperationKind::Yield || population_.spin_places().may_be(own.pending.site);
  if (is_plain(*this, own) && own.reads == nullptr && own.state == kGo && !may_yield) {
    own.spins = own.comes_round = false;
    own.published = true;
    own.has_waited = false;
    population_.link_pending(own, id);
    if (!is_enabled(*this, own)) schedule_.set_able(own, id, false);
  } else {
    publish_any(*this, own, id);
  }
}

const Decision& World::decide() {
  if (__builtin_expect(!is_settled(schedule_), 0)) settle(*this);
  Decision& d = decision_;
  d.last = schedule_.steps().last_ran();
  const Task& last = task(d.last);
  const bool last_eligible = (last.state & TaskState::Eligible) != 0;
  d.status = Decision::Status::Go;
  d.yielded = last.yielded || at_yield(last);
  d.switch_costs = last_eligible && !d.yielded;
  d.nothing_enabled = schedule_.nothing_enabled();
  d.eligible = schedule_.eligible_count();
  if (last_eligible && !(d.eligible > 1 && is_stopped(last))) {
    d.choice = {d.last, 0};
  } else if (d.eligible != 0) {
    d.choice = {schedule_.lowest_eligible(last_eligible ? d.last : kNoTask), 0};
  } else {
    return decide_for_none(*this, d);
  }
  return d;
}

Effect World::step(Choice choice) {
  HEDDLE_ASSERT(choice.task < population_.task_count() && !task(choice.task).ended,
                "only a task that has not ended takes a step");
  Task& chosen = task(choice.task);
  if (choice.variant == 0 && is_plain(*this, chosen) && chosen.published)
    return step_plainly(*this, choice.task, chosen, decision_);
  Steps& steps = schedule_.steps();
  const bool counts = schedule_.is_branching();
  const ObjectId first = chosen.pending.object, second = chosen.pending.object2;
  if (counts) steps.add_preemptions(cost(*this, decision_, choice));
  steps.begin(choice.task);
  if (counts) steps.add();  // first: what this step enables has been enabled since it, not before
  const Effect effect = take_effect(*this, choice.task, choice.variant);
  if (effect.misuse == nullptr) {
    chosen.variant = choice.variant;
    chosen.yielded = effect.timed_out;
    steps.went_on(choice.task);
    if (first != kNoObject) reevaluate_object(first);
    if (second != kNoObject) reevaluate_object(second);
    if (counts) count_step(schedule_, chosen, choice.task, effect);
  } else if (counts) {
    steps.take_back();
  }
  reevaluate(choice.task);
  if (choice.variant == kSpurious) {
    steps.add_spurious();
    if (steps.spurious() == schedule_.limits().spurious_wakeups) reevaluate_all(*this);
  }
  steps.end();
  return effect;
}

void World::advance_clock(Nanoseconds to) {
  if (clock_.advance(to)) reevaluate_timed(*this);
}

void World::abandon_others(TaskId survivor) {
  HEDDLE_ASSERT(survivor < population_.task_count() && !task(survivor).ended,
                "the task that goes on exists and has not ended");
  for (std::uint32_t i = 0; i < population_.task_count(); ++i) {
    const auto id = static_cast<TaskId>(i);
    if (id == survivor) continue;
    Task& other = task(id);
    if (other.published) {
      schedule_.changes().leave_gate(population_, other, id);
      population_.unlink_pending(other);
      clock_.remove(population_, id);
      other.published = false;
    }
    other.ended = true;
    reevaluate(id);
  }
  schedule_.end_branching(survivor);
}

}  // namespace heddle::model
