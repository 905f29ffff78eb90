// The cycle of the model: publish, decide, step. See world.h.
#include "model/object_model.h"
#include "model/spinning.h"
#include "model/world.h"
#include "protocol/assert.h"

namespace heddle::model {
namespace {

constexpr std::uint8_t kGo = TaskState::Enabled | TaskState::Eligible;

constexpr const ObjectModel* model_for(ObjectKind kind) {
  switch (kind) {
    case ObjectKind::Thread:
      return &kThreadModel;
    case ObjectKind::Mutex:
      return &kMutexModel;
    case ObjectKind::Condition:
      return &kConditionModel;
    case ObjectKind::RwLock:
      return &kRwLockModel;
    case ObjectKind::Semaphore:
      return &kSemaphoreModel;
    case ObjectKind::Barrier:
      return &kBarrierModel;
    case ObjectKind::SpinLock:
      return &kSpinLockModel;
    case ObjectKind::Once:
      return &kOnceModel;
    case ObjectKind::Futex:
      return &kFutexModel;
    case ObjectKind::Descriptor:
      return &kDescriptorModel;
    case ObjectKind::Memory:
      return &kMemoryModel;
    case ObjectKind::None:
      break;
  }
  return &kPlainModel;
}

// By kind of operation.
constexpr const ObjectModel* kModels[] = {
    &kPlainModel,
#define HEDDLE_OPERATION(name, text, object, traits) model_for(ObjectKind::object),
#include "protocol/operations.def"
#undef HEDDLE_OPERATION
};

const ObjectModel& model_of(OperationKind kind) { return *kModels[static_cast<unsigned>(kind)]; }

// Mutexes are what most programs use most: their functions are called directly, so that they can become part of the
// caller.
Effect apply(const ObjectModel& model, World& world, TaskId id, Variant variant) {
  return &model == &kMutexModel ? kMutexModel.apply(world, id, variant) : model.apply(world, id, variant);
}

std::uint16_t variants_of(const World& world, const Task& task) {
  const ObjectModel& model = model_of(task.pending.kind);
  if (model.variants == one_variant) return 1;
  if (&model == &kThreadModel && task.pending.kind != OperationKind::SignalSend) return 1;
  return model.variants(world, task);
}

bool at_yield(const Task& task) { return task.published && (task.pending.kind == OperationKind::Yield || task.spins); }

}  // namespace

void World::abandon_others(TaskId survivor) {
  HEDDLE_ASSERT(survivor < task_count_ && !tasks_[survivor].ended, "the task that goes on exists and has not ended");
  for (std::uint32_t i = 0; i < task_count_; ++i) {
    const auto id = static_cast<TaskId>(i);
    if (id == survivor) continue;
    if (tasks_[id].published) {
      unlink_pending(id);
      unlink_timed(id);
      tasks_[id].published = false;
    }
    tasks_[id].ended = true;
    reevaluate(id);
  }
  branching_ = false;
  last_ran_ = survivor;
  update_calm();
}

void World::begin_branching() {
  branching_ = true;
  steps_ = 0;
  preemptions_ = 0;
  update_calm();
}

void World::publish(TaskId id, const Operation& operation) {
  Task& task = tasks_[id];
  withdraw(task, id);
  task.pending = operation;
  publish_draft(id);
}

void World::set_pending(TaskId id, const Operation& operation) {
  Task& task = tasks_[id];
  withdraw(task, id);
  task.pending = operation;
  show(id);
}

Operation& World::draft(TaskId id) {
  Task& task = tasks_[id];
  withdraw(task, id);
  Operation& operation = task.pending;
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
  return operation;
}

void World::publish_draft(TaskId id) {
  Task& task = tasks_[id];
  if (is_plain(task) && task.reads == nullptr && task.state == kGo && task.pending.kind != OperationKind::Yield) {
    task.spins = false;
    task.published = true;
    link_pending(task, id);
    if (!is_enabled(task)) set_able(task, id, false);
  } else {
    publish_any(task, id);
  }
}

// What is there besides its object says whether it can take effect, or it yields.
[[gnu::noinline]] void World::publish_any(Task& task, TaskId id) {
  HEDDLE_ASSERT(!task.published, "a task publishes one operation at a time");
  // A yield lowers the priority at once: the decision that follows is the one made "at the yield".
  task.spins = branching_ && task.reads != nullptr && yields(*this, id);
  const bool yields = task.pending.kind == OperationKind::Yield && !yields_patiently(*this, id);
  if (branching_ && limits_.fair && (yields || task.spins)) {
    fairness_.on_yield(id, steps_, *enabled_, words_in_use());
    update_calm();
  }
  show(id);
}

// The pending operation is there from now on.
void World::show(TaskId id) {
  Task& task = tasks_[id];
  task.published = true;
  link_pending(id);
  if (task.pending.deadline != kNoDeadline) link_timed(id);
  count_one_shot(task.pending, 1);
  reevaluate(id);
}

void World::withdraw(Task& task, TaskId id) {
  if (!task.published) return;
  unlink_pending(id);
  unlink_timed(id);
  task.published = false;
  count_one_shot(task.pending, -1);
}

const Decision& World::decide() {
  if (__builtin_expect(!is_settled(), 0)) settle();
  Decision& d = decision_;
  const Task& last = tasks_[last_ran_];
  const bool last_eligible = (last.state & TaskState::Eligible) != 0;
  d.status = Decision::Status::Go;
  d.last = last_ran_;
  d.yielded = last.yielded || at_yield(last);
  d.switch_costs = last_eligible && !d.yielded;
  d.nothing_enabled = enabled_count_ == 0;
  d.eligible = static_cast<std::uint16_t>(eligible_count_);
  if (last_eligible) {
    d.choice = {last_ran_, 0};
  } else if (eligible_count_ != 0) {
    d.choice = {lowest_eligible(), 0};
  } else {
    return decide_for_none();
  }
  return d;
}

// The rest of decide() where nobody may go on. Apart, so that what it needs is not saved and fetched at every step.
[[gnu::noinline]] const Decision& World::decide_for_none() {
  HEDDLE_ASSERT(eligible_count_ == 0, "nobody may go on here");
  Decision& d = decision_;
  if (const TaskId earliest = earliest_timed(); earliest != kNoTask && d.nothing_enabled) {
    d.choice = {earliest, kTimeout};
  } else if (release_spinning()) {
    return decide();
  } else {
    d.choice = Choice();
    d.status = Decision::Status::Deadlock;
  }
  return d;
}

bool World::allowed(Choice choice) const {
  if (choice.task >= task_count_) return false;
  const std::uint8_t state = tasks_[choice.task].state;
  if (choice.variant == kTimeout) return (state & TaskState::Timeout) != 0;
  if (choice.variant == kSpurious) return (state & TaskState::Spurious) != 0;
  return (state & TaskState::Eligible) != 0 && (choice.variant == 0 || choice.variant < variants(choice.task));
}

Choice World::going_on(TaskId id) const {
  const bool times_out =
      id < task_count_ && (tasks_[id].state & (TaskState::Timeout | TaskState::Eligible)) == TaskState::Timeout;
  return {id, times_out ? kTimeout : Variant{0}};
}

std::uint32_t World::cost(const Decision& decision, Choice choice) const {
  if (choice.variant == kTimeout) {
    const bool free = decision.nothing_enabled && (tasks_[choice.task].state & TaskState::Earliest) != 0;
    return free ? 0 : 1;
  }
  return choice.task != decision.last && decision.switch_costs ? 1 : 0;
}

std::uint16_t World::variants(TaskId id) const {
  const Task& task = tasks_[id];
  if (interrupted(task)) return may_end_early(task) ? 2 : 1;
  return task.published ? variants_of(*this, task) : std::uint16_t{1};
}

Effect World::step(Choice choice) {
  HEDDLE_ASSERT(choice.task < task_count_ && !tasks_[choice.task].ended, "only a task that has not ended takes a step");
  Task& chosen = tasks_[choice.task];
  if (choice.variant == 0 && steps_plainly(chosen)) return step_plainly(choice.task, chosen);
  preemptions_ += branching_ ? cost(decision_, choice) : 0;
  const ObjectId object = tasks_[choice.task].pending.object, object2 = tasks_[choice.task].pending.object2;
  stepping_ = choice.task;
  if (branching_) ++steps_;  // first: what this step enables has been enabled since it, not before
  const Effect effect = take_effect(choice.task, choice.variant);
  if (effect.misuse == nullptr) {
    Task& task = tasks_[choice.task];
    task.variant = choice.variant;
    task.yielded = effect.timed_out;
    last_ran_ = choice.task;
    if (object != kNoObject) reevaluate_object(object);
    if (object2 != kNoObject) reevaluate_object(object2);
    if (branching_) {
      fairness_.on_step(choice.task, steps_, words_in_use());
      if (effect.timed_out && limits_.fair) {
        fairness_.on_yield(choice.task, steps_, *enabled_, words_in_use());
        update_calm();
      }
    }
  } else if (branching_) {
    --steps_;
  }
  reevaluate(choice.task);
  if (choice.variant == kSpurious && ++spurious_used_ == limits_.spurious_wakeups) reevaluate_all();
  stepping_ = kNoTask;
  return effect;
}

// Most that step() looks at is not there. No step that ends because its time is over is plain.
Effect World::step_plainly(TaskId id, Task& task) {
  const ObjectId object = task.pending.object;
  preemptions_ += id != decision_.last && decision_.switch_costs ? 1 : 0;
  stepping_ = id;
  ++steps_;
  unlink_pending(task);
  task.published = false;
  const Effect effect = apply(model_of(task.pending.kind), *this, id, 0);
  if (__builtin_expect(effect.misuse != nullptr, 0)) {
    show(id);
    --steps_;
  } else {
    if (effect.completes) task.result = effect.result;
    task.variant = 0;
    task.yielded = false;
    last_ran_ = id;
    if (object != kNoObject) reevaluate_object(object);
    fairness_.on_step(id, steps_, words_in_use());
  }
  if (task.published || task.ended) reevaluate(task, id);  // else it goes on, as it could before
  stepping_ = kNoTask;
  return effect;
}

std::uint16_t World::variants_of_draft(TaskId id) const { return variants_of(*this, tasks_[id]); }

bool World::goes_at_once(TaskId id) const {
  const Task& task = tasks_[id];
  const Operation& operation = task.pending;
  if (!goes_on_at_once(task, id)) return false;
  if (operation.kind == OperationKind::ThreadExit) return false;
  // What two objects are for (condition waits) goes on to a second stage.
  if (operation.object2 != kNoObject || operation.deadline != kNoDeadline) return false;
  // Without an object there are also yields and sleeps, and the end of the process.
  if (operation.object == kNoObject) return operation.kind == OperationKind::ThreadCreate;
  return is_enabled(task) && (task.reads == nullptr || !yields(*this, id));
}

Effect World::step_at_once(TaskId id) {
  Task& task = tasks_[id];
  const ObjectId object = task.pending.object;
  stepping_ = id;
  const Effect effect = apply(model_of(task.pending.kind), *this, id, 0);
  if (effect.misuse != nullptr) {
    stepping_ = kNoTask;
    --steps_;
    return effect;
  }
  if (effect.completes) task.result = effect.result;
  task.variant = 0;
  task.yielded = false;
  if (object != kNoObject) reevaluate_object(object);
  stepping_ = kNoTask;
  fairness_.on_step(id, steps_, words_in_use());
  return effect;
}

Effect World::take_effect(TaskId id, Variant variant) {
  Task& task = tasks_[id];
  if (interrupted(task)) return follow_interrupt(id, variant);
  const ObjectModel& model = model_of(task.pending.kind);
  if (variant == kTimeout) advance_clock(task.pending.deadline);
  const bool overdue = variant != kSpurious && task.pending.deadline <= now_ && !is_enabled(task);
  withdraw(task, id);
  const Effect effect = apply(model, *this, id, overdue ? kTimeout : variant);
  if (effect.completes) task.result = effect.result;
  if (effect.misuse != nullptr) show(id);  // so that the end shows what it was about to do
  return effect;
}

bool World::is_enabled(const Task& task) const {
  const ObjectModel& model = model_of(task.pending.kind);
  return &model == &kMutexModel ? kMutexModel.enabled(*this, task) : model.enabled(*this, task);
}

Effect World::interrupt_object(TaskId id, Interruption how) {
  const ObjectModel& model = model_of(tasks_[id].pending.kind);
  return model.interrupt != nullptr ? model.interrupt(*this, id, how) : Effect();
}

void World::advance_clock(Nanoseconds to) {
  if (to <= now_) return;
  now_ = to;
  reevaluate_timed();
}

bool World::take_change(TaskId& id, std::uint8_t& state) {
  while (changed_first_ != kNoTask) {
    const TaskId first = changed_first_;
    Task& task = tasks_[first];
    changed_first_ = task.changed_next;
    task.in_changed = false;
    if (task.state == task.reported) continue;
    task.reported = task.state;
    id = first;
    state = task.state;
    return true;
  }
  return false;
}

void World::reevaluate_object(ObjectId id) {
  const Object& object = objects_[id];
  if (object.pending_first == kNoTask || object.kind == ObjectKind::Memory) return;  // see reevaluate_spinning()
  reevaluate_pending(object);
}

[[gnu::noinline]] void World::reevaluate_pending(const Object& object) {
  for (TaskId id = object.pending_first; id != kNoTask;) {
    Task& task = tasks_[id];
    reevaluate(task, id);
    id = task.pending_next;
  }
}

void World::reevaluate(Task& task, TaskId id) {
  const bool plain = calm_ && task.interrupts == 0 && task.pending.deadline == kNoDeadline && !task.ended;
  if (__builtin_expect(!plain, 0))
    return set_state(id, task.ended ? std::uint8_t{TaskState::Ended} : evaluate(task, id));
  const bool able = !task.published || is_enabled(task);
  if (task.state != (able ? kGo : std::uint8_t{0})) set_able(task, id, able);
}

void World::reevaluate_all() {
  for (std::uint32_t id = 0; id < task_count_; ++id) reevaluate(static_cast<TaskId>(id));
}

void World::reevaluate_timed() {
  for (TaskId id = timed_first_; id != kNoTask; id = tasks_[id].timed_next) reevaluate(id);
}

std::uint8_t World::evaluate(const Task& task, TaskId id) const {
  const bool held_back = fairness_.held_back(id, *enabled_, words_in_use());
  const std::uint8_t go = TaskState::Enabled | (held_back ? 0 : TaskState::Eligible);
  if (!task.published) return go;  // it runs, or is about to publish
  const ObjectModel& model = model_of(task.pending.kind);
  const bool enabled = is_enabled(task);
  std::uint8_t state = 0;
  if (enabled || interrupted(task) || task.pending.deadline <= now_) {
    state = go;
  } else if (!held_back && may_time_out(task.pending)) {
    state = TaskState::Timeout;
    if (only_timeouts_ && task.pending.deadline == tasks_[earliest_timed()].pending.deadline)
      state |= TaskState::Earliest;
  }
  if (interrupted(task)) return state;
  const bool may_be_spurious = spurious_used_ < limits_.spurious_wakeups && !held_back && model.may_be_spurious(task);
  return may_be_spurious ? static_cast<std::uint8_t>(state | TaskState::Spurious) : state;
}

void World::note_change(Task& task, TaskId id) {
  if (task.in_changed) return;
  task.in_changed = true;
  task.changed_next = changed_first_;
  changed_first_ = id;
}

// set_state() for a task that can either go on or not, and nothing else; and it changes.
[[gnu::noinline]] void World::set_able(Task& task, TaskId id, bool able) {
  const std::uint8_t state = able ? kGo : 0;
  if (task.state != (able ? std::uint8_t{0} : kGo)) return set_state(id, state);
  task.state = state;
  note_change(task, id);
  if (able) {
    eligible_->add(id);
    enabled_->add(id);
    ++eligible_count_;
    ++enabled_count_;
    fairness_.on_enabled(id, steps_);
  } else {
    eligible_->remove(id);
    enabled_->remove(id);
    --eligible_count_;
    --enabled_count_;
    fairness_.on_disabled(id, stepping_);
  }
}

void World::set_state(TaskId id, std::uint8_t state) {
  Task& task = tasks_[id];
  const std::uint8_t before = task.state;
  if (state == before) return;
  task.state = state;
  note_change(task, id);
  const std::uint8_t flipped = before ^ state;
  if ((flipped & TaskState::Ended) != 0 && !task.timer) --live_count_;
  if ((flipped & TaskState::Eligible) != 0) {
    const bool now = (state & TaskState::Eligible) != 0;
    now ? eligible_->add(id) : eligible_->remove(id);
    eligible_count_ += now ? 1u : ~0u;
  }
  if ((flipped & TaskState::Enabled) == 0) return;
  const bool now = (state & TaskState::Enabled) != 0;
  now ? enabled_->add(id) : enabled_->remove(id);
  enabled_count_ += now ? 1u : ~0u;
  now ? fairness_.on_enabled(id, steps_) : fairness_.on_disabled(id, stepping_);
}

// Brings up to date what depends on the enabled set as a whole: who is held back, and whether only timeouts can go on.
[[gnu::noinline]] void World::settle() {
  const bool only_timeouts = enabled_count_ == 0;
  if (only_timeouts || only_timeouts != only_timeouts_) {
    only_timeouts_ = only_timeouts;
    reevaluate_timed();
  }
  // While there are edges, and once more when the last one has gone: anyone may be held back, or no longer be.
  const bool edges = fairness_.any_edges();
  if (edges || had_edges_) reevaluate_all();
  had_edges_ = edges;
  update_calm();
}

void World::update_calm() {
  calm_ = branching_ && limits_.spurious_wakeups == 0 && !only_timeouts_ && !had_edges_ && !fairness_.any_edges();
}

TaskId World::lowest_eligible() const {
  for (std::uint32_t i = 0; i < words_in_use(); ++i)
    if (const std::uint64_t word = eligible_->words[i]; word != 0)
      return static_cast<TaskId>(i * 64 + static_cast<std::uint32_t>(__builtin_ctzll(word)));
  return kNoTask;
}

}  // namespace heddle::model
