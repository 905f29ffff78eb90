// See scheduler.h.
#include "runtime/schedule/scheduler.h"

#include <string.h>

#include "model/choices.h"
#include "model/interrupts.h"
#include "model/read_history.h"
#include "model/services.h"
#include "model/sleep_set.h"
#include "model/spinning.h"
#include "protocol/assert.h"
#include "protocol/time_slice.h"
#include "runtime/detect/memory_origin.h"
#include "runtime/detect/monitor/monitor.h"
#include "runtime/detect/task_state.h"
#include "runtime/heap/block_history.h"
#include "runtime/ring/debugger.h"
#include "runtime/ring/plan_reader.h"
#include "runtime/ring/recorder.h"
#include "runtime/schedule/carrier.h"
#include "runtime/schedule/checkpoints.h"
#include "runtime/schedule/fast_step.h"
#include "runtime/schedule/loops.h"
#include "runtime/schedule/policy/policy.h"
#include "runtime/state/monitoring.h"
#include "runtime/state/objects.h"
#include "runtime/state/runtime.h"
#include "runtime/state/stacks.h"
#include "runtime/state/up_calls.h"

namespace heddle::runtime {
namespace {

using model::Decision;
using model::Effect;
using model::Operation;

// Partial-order reduction may plan what there is no such order of: a read of a loop before the write that it waits for
// (model/spinning.h), where the task has read all there is to be read; a call on a descriptor that would block there.
bool does_not_exist(Choice choice) {
  const model::World& world = *runtime.world;
  if (!has_trait(plan().policy, PolicyTrait::Orders) || choice.task >= world.population().task_count()) return false;
  const model::Task& task = world.task(choice.task);
  if (model::waits_for_a_change(world, task)) return true;
  return task.published && choice.variant == 0 && object_kind(task.pending.kind) == ObjectKind::Descriptor;
}

Choice choose(const Decision& decision) {
  Choice choice = decision.choice;
  if (runtime.only_recorded && runtime.world->schedule().steps().count() < runtime.undisturbed_until) return choice;
  if (!runtime.recording) return choice;
  before_step(*runtime.world);
  if (!planned_choice(runtime.world->schedule().steps().count(), choice)) {
    if (!pick(*runtime.world, decision, choice)) end_execution(EndKind::Asleep, nullptr, MessageKind::None);
    return choice;
  }
  if (has_trait(plan().policy, PolicyTrait::Orders) && choice.variant == 0)
    choice = model::going_on(*runtime.world, choice.task);
  if (model::allowed(*runtime.world, choice)) return choice;
  if (does_not_exist(choice)) end_execution(EndKind::Asleep, nullptr, MessageKind::None);
  constexpr const char* kWhy = "the planned choice is not possible here";
  if ((plan().flags & PlanFlags::FinishFreely) == 0) end_execution(EndKind::Diverged, kWhy, MessageKind::Divergence);
  record_message(MessageKind::Divergence, runtime.current, kWhy, strlen(kWhy));
  abandon_plan();
  return decision.choice;
}

// When the last thread ends, the process does: it goes on to exit(0) in its own name (see run_task()).
void end_process_with_last_thread(TaskId task) {
  model::World& world = *runtime.world;
  if (world.population().live_tasks() != 1) return;
  const Operation& pending = world.task(task).pending;
  if (pending.kind != OperationKind::ThreadExit) return;
  Operation exit;
  exit.kind = OperationKind::ProcessExit;
  exit.site = pending.site;
  world.set_pending(task, exit);
}

// A step that follows an interrupt has the interrupt's name, and what the pending operation waited on as the second
// object.
StepNames names_of_step(TaskId id) {
  const model::World& world = *runtime.world;
  const model::Task& task = world.task(id);
  StepNames names(task.pending);
  if (!model::is_interrupted(world, task)) return names;
  names.kind = model::interrupting_kind(task);
  names.object2 = names.object;
  names.object = task.thread;
  const std::uint64_t signals = world.signals().deliverable(world.task(id));
  names.signal = names.kind == OperationKind::SignalArrive && signals != 0
                     ? static_cast<std::uint8_t>(__builtin_ctzll(signals) + 1)
                     : std::uint8_t{0};
  return names;
}

// For the policy.
void note_step(Choice choice, const StepNames& names, const Effect& effect) {
  if (!wants_steps()) return;
  const model::StepTaken step{names.kind, names.object, names.object2, names.marks};
  after_step(choice.task, model::access_of_step(step, choice, effect, config.timeouts == Timeouts::Early));
}

std::uint8_t marks_of_step(const model::World& world, TaskId task) {
  return model::marks_of_step(world, world.task(task).pending, config.timeouts == Timeouts::Early);
}

// Of an object whose memory was freed: what became of the block.
void record_freed_object(TaskId task) {
  const model::Operation& operation = runtime.world->task(task).pending;
  for (const ObjectId id : {operation.object, operation.object2}) {
    if (id == kNoObject || runtime.world->object(id).gone != model::Gone::Freed) continue;
    return record_heap_fault(reinterpret_cast<const void*>(runtime.world->object(id).address));
  }
}

// Misuse changes nothing in the model. Before there are executions, one begins here: the step is tried again in it, and
// written down with its place. Who goes on otherwise?
TaskId follow_misuse(const Decision& decision, Choice choice, const StepNames& names, std::uint16_t variants,
                     const Effect& effect) {
  if (runtime.mode == Mode::Ended) return choice.task;  // past the last exit handler: what came of it is known
  if (runtime.mode == Mode::Alone && begin_branching()) return kNoTask;
  if (runtime.mode == Mode::Detached) die_of_misuse();
  runtime.shared->status.running_task.store(choice.task);
  if (runtime.recording) record_step(decision, choice, names, variants, effect);
  record_freed_object(choice.task);
  end_execution(EndKind::Misuse, effect.misuse, MessageKind::Misuse);
}

std::uint32_t max_steps() { return plan().max_steps != 0 ? plan().max_steps : config.max_steps; }

void end_at_limit() {
  if (runtime.world->schedule().steps().count() >= max_steps())
    end_execution(EndKind::StepLimit, nullptr, MessageKind::None);
}

TaskId who_goes_on(TaskId task, bool completes) {
  if (runtime.world->task(task).ended) {
    give_signals_back(task);
    if (task != runtime.current) carrier().release(task);
    return kNoTask;
  }
  return completes ? task : kNoTask;
}

// One step, the slow way (fast_step.h says what the other one is): whose call has it completed? kNoTask: nobody's yet.
TaskId take_step(const Decision& decision) {
  HEDDLE_ASSERT(decision.status == Decision::Status::Go, "a step is taken only where somebody can go on");
  model::World& world = *runtime.world;
  if (runtime.recording && world.schedule().changes().any()) record_changes();
  const Choice choice = choose(decision);
  if (runtime.record_stacks) stop_before_step(choice.task);  // a debugger wants stacks, too
  end_process_with_last_thread(choice.task);
  StepNames names = names_of_step(choice.task);
  const bool followed = runtime.recording && follows_steps();
  if (followed) names.marks = marks_of_step(world, choice.task);
  if (runtime.recording && names.kind == OperationKind::ProcessExit)
    names.marks |= marks_of_exit(world.task(choice.task).pending);
  const std::uint16_t variants = runtime.recording ? model::variants(world, choice.task) : std::uint16_t{1};
  const model::BeforeStep before =
      monitored() ? observe_before_step(world, world.task(choice.task).pending) : model::BeforeStep();
  const bool comes_round = world.task(choice.task).comes_round;
  model::ReadHistory* const reads = world.task(choice.task).reads;
  KeptState* const kept = reads != nullptr ? runtime.tasks[choice.task].kept_state : nullptr;
  if (kept != nullptr) kept->leave_out_changes(*reads);
  const Effect effect = world.step(choice);
  if (kept != nullptr) kept->renew();
  if (names.kind == OperationKind::SignalSend && names.object == kNoObject && effect.result >= 0)
    names.object = world.task(static_cast<TaskId>(effect.result)).thread;
  if (effect.misuse != nullptr) return follow_misuse(decision, choice, names, variants, effect);
  if (monitored()) monitor_step({choice.task, names.kind, names.object, names.object2, before, effect}, names.site);
  if (followed) note_step(choice, names, effect);
  if (runtime.recording) {
    record_step(decision, choice, names, variants, effect);
    check_step(names.kind, effect, comes_round);
    end_at_limit();
  }
  const TaskId next = who_goes_on(choice.task, effect.completes);
  if (next == kNoTask || !world.task(next).timer) return next;
  timer_has_sent(next, effect.result);
  return kNoTask;
}

// Nothing is enabled: has the world outside, or another process, changed that meanwhile?
[[gnu::noinline, gnu::cold]] bool something_came() {
  return wait_for_others(plans_timeout(runtime.world->schedule().steps().count()));
}

// A service that the user has declared may go round for ever: it lets nobody go on.
[[gnu::noinline, gnu::cold]] void end_beside_services() {
  if (!runtime.recording) return;
  const std::uint32_t since = model::only_services_since(*runtime.world);
  if (since == 0 || somebody_waits_for_outside()) return;
  runtime.loop_from = since;
  end_execution(EndKind::Deadlock, nullptr, MessageKind::None);
}

// In a process that is not explored: behind the scheduler, handlers may run. What the call returns is fetched before.
[[gnu::noinline, gnu::cold]] std::int32_t end_call_unexplored() {
  const std::int32_t result = runtime.world->task(runtime.current).result;
  let_held_signals_in();
  return result;
}

// Lets the model go on until some task's call is complete: whose? Its frames are gone when that task goes on, so that
// on the stack of one that waits there is nothing that only counts up (loops.h).
__attribute__((noinline)) TaskId next_to_go_on() {
  for (;;) {
    consider_checkpoint(*runtime.world);
    const Decision& decision = runtime.world->decide();
    if (__builtin_expect(decision.nothing_enabled, 0)) {
      if (something_came()) continue;
      end_beside_services();
    }
    if (decision.status == Decision::Status::Deadlock) {
      // Past the last exit handler: nothing to wait for any more.
      if (runtime.mode == Mode::Ended) return runtime.current;
      if (runtime.mode == Mode::Alone && begin_branching()) continue;
      if (runtime.mode == Mode::Detached) hang();
      end_execution(EndKind::Deadlock, nullptr, MessageKind::None);
    }
    const TaskId next = take_step(decision);
    if (next != kNoTask) return next;
  }
}

void let_go_on() {
  const TaskId next = next_to_go_on();
  if (next == runtime.current) return;
  if (monitored()) monitor_switch(next);
  carrier().switch_to(next);
}

[[gnu::noinline]] void schedule_with_state() {
  KeptState kept(__builtin_frame_address(0));
  current_data().kept_state = &kept;
  let_go_on();
  current_data().kept_state = nullptr;
}

void schedule() {
  if (__builtin_expect(runtime.world->schedule().steps().count() >= runtime.detect_loops_from, 0)) heddle_detect_loop();
  const model::ReadHistory* const reads = runtime.world->task(runtime.current).reads;
  if (__builtin_expect(reads != nullptr && model::has_states(*reads), 0)) return schedule_with_state();
  let_go_on();
}

// For the replay that explains a bug.
[[gnu::noinline]] void tell_where_it_stands(TaskId self) {
  const Operation& operation = runtime.world->task(self).pending;
  capture_stack(self, operation.site);
  for (const ObjectId object : {operation.object, operation.object2})
    if (object != kNoObject) record_object_origin(object);
}

void publish() {
  const TaskId self = runtime.current;
  const OperationKind kind = runtime.world->task(self).pending.kind;
  if (runtime.record_stacks) tell_where_it_stands(self);
  const bool stopped = kind == OperationKind::Yield && runtime.world->task(self).pending.argument == kStoppedBehind;
  if ((kind == OperationKind::Yield && !stopped) || kind == OperationKind::Sleep) {
    pass_time_while_yielding();
    consider_outside();
  } else if (kind != OperationKind::ClockRead) {
    runtime.free_clock_reads = runtime.free_yields = 0;
  }
  runtime.world->publish_draft(self);
}

}  // namespace

void look_ahead() {
  runtime.undisturbed_until = 0;
  runtime.only_recorded =
      runtime.recording && !runtime.record_stacks && !runtime.atomic_regions && !follows_steps() && !monitored();
  if (runtime.record_stacks) return;
  std::uint32_t step = max_steps() - 1;  // the last one ends the execution
  if (default_until() < step) step = default_until();
  if (next_planned_step() < step) step = next_planned_step();
  if (execution_checkpoints.next_step < step) step = execution_checkpoints.next_step;
  if (runtime.detect_loops_from < step) step = runtime.detect_loops_from;
  runtime.undisturbed_until = step;
}

Operation& draft_operation() { return runtime.world->draft(runtime.current); }

namespace {

// Its memory may have been freed while the task waited. Only of a lock that the task has now: after another operation
// the object may be gone rightly.
void check_lock_taken(const Operation& taken) {
  const bool is_lock = taken.kind == OperationKind::MutexLock || taken.kind == OperationKind::ReadLock ||
                       taken.kind == OperationKind::WriteLock || taken.kind == OperationKind::SpinLock;
  if (is_lock && taken.object != kNoObject)
    check_poison(reinterpret_cast<const void*>(runtime.world->object(taken.object).address), taken.site);
}

}  // namespace

std::int32_t perform_draft() {
  const TaskId self = runtime.current;
  if (__builtin_expect(is_foreign_thread(), 0)) refuse_foreign_thread(runtime.world->task(self).pending);
  const FastStep fast = step_fast(self);
  if (fast == FastStep::No) publish();
  if (fast != FastStep::Complete) schedule();
  const model::Task& task = runtime.world->task(self);
  if (task.pending.kind == OperationKind::Yield) heddle_clear_dead_frames();
  if (__builtin_expect(task.interruption != model::Interruption::None, 0)) return after_interruption();
  if (__builtin_expect(runtime.mode != Mode::Branching, 0)) return end_call_unexplored();
  if (__builtin_expect(permanent_poison.is_poisoned != nullptr, 0)) check_lock_taken(task.pending);
  return task.result;
}

std::int32_t perform(const Operation& operation) {
  draft_operation() = operation;
  return perform_draft();
}

void perform_last(const Operation& operation) {
  draft_operation() = operation;
  publish();
  schedule();
}

}  // namespace heddle::runtime
