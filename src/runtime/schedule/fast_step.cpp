// See fast_step.h.
#include "runtime/schedule/fast_step.h"

#include "model/fast_way.h"
#include "model/mutex.h"
#include "model/object_model.h"
#include "model/sleep_set.h"
#include "model/spinning.h"
#include "runtime/detect/monitor/monitor.h"
#include "runtime/detect/task_state.h"
#include "runtime/ring/recorder.h"
#include "runtime/ring/ring_writer.h"
#include "runtime/schedule/checkpoints.h"
#include "runtime/schedule/loops.h"
#include "runtime/schedule/policy/policy.h"
#include "runtime/state/monitoring.h"
#include "runtime/state/runtime.h"
#include "runtime/state/stacks.h"
#include "runtime/state/up_calls.h"

namespace heddle::runtime {
namespace {

using model::Effect;
using model::Object;
using model::Task;
using model::World;

constexpr std::uint8_t kOpen = StepMarks::OpenExclusive | StepMarks::OpenShared;

[[gnu::noinline]] bool others_let_it_go_on(const World& world, TaskId self) {
  return runtime.recording && !runtime.atomic_regions && allows_default(world, self);
}

// To be asked last, when nothing about the operation itself stands against it: where the task can't go on, a checkpoint
// may be taken behind this (checkpoints.h), and what goes on from there with another plan must have come the same way.
[[gnu::always_inline]] inline bool goes_on(const World& world, const Task& task, TaskId self) {
  return is_undisturbed(world) && model::goes_on_at_once(world, task, self) && !is_foreign_thread() &&
         (runtime.only_recorded || others_let_it_go_on(world, self));
}

struct Step {
  OperationKind kind;
  ObjectId object;
  Site site;
  std::uint8_t marks;  // as they are recorded
  std::uint16_t variants = 1;
};

// What a decision would say.
struct Decided {
  unsigned flags;  // StepFlags
  std::uint16_t eligible;
};

Decided begin_step(World& world, const Task& task) {
  if (world.schedule().changes().any()) record_changes();
  world.schedule().steps().add();
  return {task.yielded ? unsigned{StepFlags::Yielded} : unsigned{StepFlags::SwitchCosts},
          world.schedule().eligible_count()};
}

// Those who look at steps besides the recorder: the monitors, the policy. By value: what is never referred to
// stays in registers where nobody looks.
[[gnu::noinline]] void tell_others(TaskId self, Step step, Effect effect, model::BeforeStep before = {}) {
  if (monitored()) monitor_step({self, step.kind, step.object, kNoObject, before, effect}, step.site);
  if (!wants_steps()) return;
  const model::StepTaken taken{step.kind, step.object, kNoObject, step.marks};
  after_step(self, model::access_of_step(taken, {self, 0}, effect, config.timeouts == Timeouts::Early));
}

bool wants_marks() { return !runtime.only_recorded && follows_steps(); }

// Behind it. In line, so that what is known of each kind of step is known here.
[[gnu::always_inline]] inline void record_fast_step(TaskId self, const Step& step, const Decided& decided,
                                                    const Effect& effect) {
  runtime.free_clock_reads = runtime.free_yields = 0;
  const unsigned flags = decided.flags | (effect.wrote ? unsigned{StepFlags::Wrote} : 0u) |
                         (effect.released ? unsigned{StepFlags::Released} : 0u);
  record_step_at_once({first_word_of_step(step.kind, flags, step.marks, self), step.object, step.site,
                       last_word_of_step(effect.result, decided.eligible, step.variants)});
}

[[gnu::always_inline]] inline void end_step(TaskId self, Task& task, const Step& step, const Decided& decided,
                                            const Effect& effect) {
  task.result = effect.result;
  if (!runtime.only_recorded) tell_others(self, step, effect);
  record_fast_step(self, step, decided, effect);
}

[[gnu::always_inline]] inline void end_step(World& world, TaskId self, Task& task, Object& object, const Step& step,
                                            const Decided& decided, const Effect& effect) {
  model::end_step_at_once(world, task, self, object);
  if (__builtin_expect(!object.recorded, 0)) record_object(step.object);
  end_step(self, task, step, decided, effect);
}

}  // namespace

__attribute__((noinline)) FastStep step_fast(TaskId self) {
  World& world = *runtime.world;
  if (!runtime.recording || !model::goes_at_once(world, self) || !goes_on(world, world.task(self), self))
    return FastStep::No;
  StepNames names(world.task(self).pending);
  if (wants_marks())
    names.marks = model::marks_of_step(world, world.task(self).pending, config.timeouts == Timeouts::Early);
  const Step step{names.kind, names.object, names.site, marks_in_record(names),
                  model::variants_of(world, world.task(self))};
  const model::BeforeStep before =
      monitored() ? observe_before_step(world, world.task(self).pending) : model::BeforeStep();
  const Decided decided = begin_step(world, world.task(self));
  const Effect effect = model::step_at_once(world, self);
  if (effect.misuse != nullptr) return FastStep::No;
  if (!runtime.only_recorded) tell_others(self, step, effect, before);
  record_object(step.object);
  record_fast_step(self, step, decided, effect);
  check_step(step.kind, effect);
  return effect.completes ? FastStep::Complete : FastStep::GoesOn;
}

bool lock_mutex_at_once(ObjectId mutex, Site site) {
  World& world = *runtime.world;
  const TaskId self = runtime.current;
  Task& task = world.task(self);
  Object& object = world.object(mutex);
  if (!model::locks_at_once(object) || world.population().spin_places().may_be(site) || !goes_on(world, task, self))
    return false;
  const Decided decided = begin_step(world, task);
  model::lock_at_once(object.mutex, self, site);
  end_step(world, self, task, object, {OperationKind::MutexLock, mutex, site, wants_marks() ? kOpen : std::uint8_t{0}},
           decided, {});
  return true;
}

bool unlock_mutex_at_once(ObjectId mutex, Site site) {
  World& world = *runtime.world;
  const TaskId self = runtime.current;
  Task& task = world.task(self);
  Object& object = world.object(mutex);
  if (!model::unlocks_at_once(object, self) || world.population().spin_places().may_be(site) ||
      !goes_on(world, task, self))
    return false;
  const Decided decided = begin_step(world, task);
  model::unlock_at_once(object.mutex);
  end_step(world, self, task, object, {OperationKind::MutexUnlock, mutex, site, 0}, decided, {.released = true});
  return true;
}

bool create_thread_at_once(OperationKind kind, ObjectId thread, Site site) {
  World& world = *runtime.world;
  const TaskId self = runtime.current;
  Task& task = world.task(self);
  if (!goes_on(world, task, self)) return false;
  const Decided decided = begin_step(world, task);
  model::end_step_at_once(world, task, self);
  const bool creates = kind == OperationKind::ThreadCreate;
  end_step(self, task, {kind, thread, site, 0}, decided, {.wrote = creates, .released = creates});
  return true;
}

bool access_memory_at_once(OperationKind kind, ObjectId memory, std::uint8_t upper_marks, Site site,
                           model::MemoryAccess& access) {
  World& world = *runtime.world;
  const TaskId self = runtime.current;
  Task& task = world.task(self);
  if (task.reads != nullptr && model::would_repeat(world, self, site, memory)) return false;
  if (world.population().spin_places().may_be(site) || !goes_on(world, task, self)) return false;
  const Decided decided = begin_step(world, task);
  model::access_at_once(world, self, site, memory, access);
  const unsigned order = access.sequential ? StepMarks::Sequential : 0u;
  const unsigned marks = (wants_marks() ? kOpen | order : 0u) | unsigned{upper_marks} << StepMarks::kOffsetShift;
  end_step(world, self, task, world.object(memory), {kind, memory, site, static_cast<std::uint8_t>(marks)}, decided,
           {.result = access.value, .wrote = access.wrote, .released = access.wrote});
  return true;
}

}  // namespace heddle::runtime
