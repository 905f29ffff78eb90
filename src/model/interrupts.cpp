// Interrupts: signals and cancellation. A task that is asked to run a handler, or to end, does so at its next step: the
// interrupt takes effect instead of its pending operation, and the runtime goes on from there (Task::interruption).
//
// A signal comes before the pending operation has begun; or it ends a call that has begun to wait with EINTR, where
// POSIX lets the call fail. A waiting call may have begun or not when the signal comes: those are two alternatives of
// the step (variant 0: the call ends with EINTR; 1: the handler runs before the call, which then waits after all). A
// call that can't fail (a mutex lock, a barrier) goes on waiting after the handler. A call with a mask of its own
// (ppoll) takes what it waits for before a signal, and a signal never comes before it (Interrupt::Begun).
//
// The runtime knows the signals and what they carry; here they are bits.
#include "model/interrupts.h"

#include <csignal>

#include "model/object_model.h"

namespace heddle::model {
namespace {

// Operations that are not the program's call, or end it.
bool beyond_interrupts(OperationKind kind) {
  return kind == OperationKind::ThreadStart || kind == OperationKind::ThreadExit || kind == OperationKind::ProcessExit;
}

bool brings_mask(const Operation& operation) { return (operation.interruptible & Interrupt::Begun) != 0; }

// Second stages of a wait, and calls that bring a mask: the call has certainly begun. So it has where threads are never
// slow (no early timeouts) and time has passed since.
bool has_begun(const Task& task) {
  return task.has_waited || task.pending.kind == OperationKind::FutexWoken ||
         task.pending.kind == OperationKind::SignalSuspended || brings_mask(task.pending);
}

// These take what has come for them, whatever else there is.
bool goes_first(const Operation& operation) {
  return operation.kind == OperationKind::SignalWait || operation.kind == OperationKind::FutexWoken ||
         operation.kind == OperationKind::BarrierLeave || brings_mask(operation);
}

constexpr std::uint8_t kAnyCancel = Interrupt::Cancel | Interrupt::AsyncCancel;

}  // namespace

bool follows_interrupt(const World& world, const Task& task) {
  const Operation& pending = task.pending;
  if (beyond_interrupts(pending.kind)) return false;
  if (goes_first(pending) && is_enabled(world, task)) return false;
  if ((task.interrupts & (Interrupt::Signal | Interrupt::AsyncCancel)) != 0) return true;
  if ((task.interrupts & pending.interruptible & Interrupt::Cancel) == 0) return false;
  // As in glibc: a condition wait first lets the mutex go, and a join looks only when it has to wait.
  if (pending.kind == OperationKind::ConditionWait) return false;
  return pending.kind != OperationKind::ThreadJoin || !is_enabled(world, task);
}

OperationKind interrupting_kind(const Task& task) {
  return (task.interrupts & Interrupt::Signal) != 0 ? OperationKind::SignalArrive : OperationKind::CancelArrive;
}

bool may_end_early(const World& world, const Task& task) {
  const Operation& pending = task.pending;
  if ((task.interrupts & pending.interruptible & Interrupt::Signal) == 0 || has_begun(task)) return false;
  return !is_enabled(world, task) && pending.deadline > world.clock().now();
}

Interruption interruption_by(const World& world, const Task& task, Variant variant) {
  if ((task.interrupts & Interrupt::Signal) == 0) return Interruption::Cancelled;
  const bool waits = may_end_early(world, task) || brings_mask(task.pending) ||
                     (has_begun(task) && task.pending.deadline > world.clock().now());
  const bool ends = waits && (task.pending.interruptible & Interrupt::Signal) != 0 && variant == 0;
  return ends ? Interruption::Ended : Interruption::Again;
}

Effect follow_interrupt(World& world, TaskId id, Interruption how) {
  Task& task = world.task(id);
  task.interruption = how;
  if (how == Interruption::Cancelled) change_cancellation(world, id, Cancellation::Followed, 0);
  const ObjectModel& model = model_of(task.pending.kind);
  Effect effect = model.interrupt != nullptr ? model.interrupt(world, id, how) : Effect();
  effect.result = how == Interruption::Cancelled ? ECANCELED : how == Interruption::Ended ? EINTR : ERESTART;
  task.result = effect.result;
  return effect;
}

Interruption take_interruption(Task& task) {
  const Interruption how = task.interruption;
  task.interruption = Interruption::None;
  return how;
}

TaskId add_timer(World& world, TaskId creator, Site created_at) {
  const TaskId id = world.add_task(creator, 0, created_at);
  if (id == kNoTask) return id;
  world.population().make_timer(id);
  block_signals(world, id, ~std::uint64_t{0});
  return id;
}

void change_cancellation(World& world, TaskId id, std::uint8_t set, std::uint8_t clear) {
  Task& task = world.task(id);
  task.cancellation = static_cast<std::uint8_t>((task.cancellation & ~clear) | set);
  const bool now = (task.cancellation & (Cancellation::Asked | Cancellation::Disabled | Cancellation::Followed)) ==
                   Cancellation::Asked;
  const bool at_once = (task.cancellation & Cancellation::Asynchronous) != 0;
  const std::uint8_t wanted = !now ? 0 : at_once ? kAnyCancel : std::uint8_t{Interrupt::Cancel};
  task.interrupts = static_cast<std::uint8_t>((task.interrupts & ~kAnyCancel) | wanted);
  world.reevaluate(id);
}

namespace {

void refresh_signals(World& world, TaskId id) {
  Task& task = world.task(id);
  if (world.signals().deliverable(task) != 0 && !task.ended)
    task.interrupts |= Interrupt::Signal;
  else
    task.interrupts &= static_cast<std::uint8_t>(~unsigned{Interrupt::Signal});
  world.reevaluate(id);
}

void refresh_signals_of_all(World& world) {
  for (std::uint32_t id = 0; id < world.population().task_count(); ++id)
    refresh_signals(world, static_cast<TaskId>(id));
}

}  // namespace

void note_waits(World& world) {
  if (world.schedule().limits().early_timeouts()) return;
  for (std::uint32_t id = 0; id < world.population().task_count(); ++id) {
    Task& task = world.task(static_cast<TaskId>(id));
    if (task.published && !task.ended) task.has_waited = true;
  }
}

void interrupt(World& world, TaskId id, bool by_signal) {
  refresh_signals(world, id);
  if (by_signal) world.task(id).interrupts |= Interrupt::Signal;
  world.reevaluate(id);
}

void signal_arrives(World& world, TaskId owner, int signal) {
  if (owner != kNoTask) {
    world.task(owner).arrived_signals |= signal_bit(signal);
    return refresh_signals(world, owner);
  }
  world.signals().add_to_process(signal);
  refresh_signals_of_all(world);
}

void signal_taken(World& world, TaskId owner, int signal) {
  if (owner != kNoTask) {
    world.task(owner).arrived_signals &= ~signal_bit(signal);
    return refresh_signals(world, owner);
  }
  world.signals().take_from_process(signal);
  refresh_signals_of_all(world);
}

void block_signals(World& world, TaskId id, std::uint64_t mask) {
  world.task(id).blocked_signals = mask & ~(signal_bit(SIGKILL) | signal_bit(SIGSTOP));
  refresh_signals(world, id);
}

bool awaits(const Task& task, int signal) {
  return task.published && task.pending.kind == OperationKind::SignalWait &&
         (task.pending.argument & signal_bit(signal)) != 0;
}

namespace {

// Which of the process's signals would a task take now?
std::uint64_t taken_signals(const Task& task) {
  if (task.ended) return 0;
  const bool waits = task.published && task.pending.kind == OperationKind::SignalWait;
  return ~task.blocked_signals | (waits ? task.pending.argument : 0);
}

}  // namespace

TaskId taker(const World& world, int signal, std::uint32_t index) {
  const Population& population = world.population();
  for (std::uint32_t i = 0; i < population.task_count(); ++i) {
    const auto id = static_cast<TaskId>(i);
    if ((taken_signals(population.task(id)) & signal_bit(signal)) != 0 && index-- == 0) return id;
  }
  return kNoTask;
}

// --- operations

bool signal_operation_enabled(const World& world, const Task& task) {
  switch (task.pending.kind) {
    case OperationKind::SignalWait:
      return (world.signals().arrived(task) & task.pending.argument) != 0;
    case OperationKind::SignalSuspended:  // only an interrupt ends it
    case OperationKind::TimerExpire:      // only its deadline does
      return false;
    default:
      return true;
  }
}

std::uint16_t signal_takers(const World& world, const Task& task) {
  if (task.pending.object != kNoObject || task.pending.signal == 0) return 1;
  std::uint16_t count = 0;
  while (taker(world, task.pending.signal, count) != kNoTask) ++count;
  return count == 0 ? std::uint16_t{1} : count;
}

namespace {

// Does one that was sent to the process before wait for this task to take it? Of the process's signals the lowest is
// taken first, and of two with one number the older: so what comes now is not the task's own, which would come first.
bool takes_another_first(const World& world, TaskId id) {
  return (world.signals().of_process() & taken_signals(world.task(id))) != 0;
}

}  // namespace

Effect send_signal(World& world, TaskId id, Variant variant) {
  const Operation& operation = world.task(id).pending;
  if (operation.object == kNoObject) {
    const TaskId task = operation.signal == 0 ? kNoTask : taker(world, operation.signal, variant);
    return released(task == kNoTask || takes_another_first(world, task) ? kForProcess : task);
  }
  const ThreadState& thread = world.object(operation.object).thread;
  return thread.ended ? unchanged(kNobody) : released(thread.task);
}

Effect apply_signal_operation(World& world, TaskId id) {
  Operation operation = world.task(id).pending;
  switch (operation.kind) {
    case OperationKind::SignalMask:
      block_signals(world, id, operation.argument);
      return released();
    case OperationKind::SignalSuspend:
      block_signals(world, id, operation.argument);
      operation.kind = OperationKind::SignalSuspended;
      world.set_pending(id, operation);
      return {.completes = false, .released = true};
    case OperationKind::SignalWait: {
      const std::uint64_t own = world.task(id).arrived_signals & operation.argument;
      const std::uint64_t any = own != 0 ? own : world.signals().of_process() & operation.argument;
      return changed(kSignalTaken | (__builtin_ctzll(any) + 1) | (own != 0 ? 0 : kFromProcess));
    }
    default:
      return unchanged();
  }
}

}  // namespace heddle::model
