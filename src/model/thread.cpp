// Threads: start, end, join, detach. Two threads that join each other wait for ever, as with glibc 2.36: its check for
// this case never finds anything (measured). Only a thread that joins itself gets EDEADLK.
#include "model/futex_lock.h"
#include "model/interrupts.h"
#include "model/mutex.h"
#include "model/object_model.h"
#include "protocol/assert.h"

namespace heddle::model {
namespace {

bool enabled(const World& world, const Task& task) {
  if (task.pending.kind != OperationKind::ThreadJoin) return signal_operation_enabled(world, task);
  const ThreadState& thread = target(world, task).thread;
  return thread.ended || thread.joined || thread.detached || task.pending.object == task.thread;
}

const char* join_misuse(const ThreadState& thread) {
  if (thread.joined) return "joined a thread that was already joined";
  return thread.detached ? "joined a detached thread" : nullptr;
}

Effect join(World& world, TaskId id, ThreadState& thread, bool try_only) {
  if (const char* sentence = join_misuse(thread); sentence != nullptr) return misuse(sentence);
  if (!thread.ended) return unchanged(try_only ? EBUSY : EDEADLK);
  thread.joined = true;
  thread.joiner = id;
  world.population().on_joined();
  return changed();
}

Effect cancel(World& world, const ThreadState& thread) {
  if (thread.ended) return unchanged();
  change_cancellation(world, thread.task, Cancellation::Asked, 0);
  return released();
}

// Its time is over: what it sends is a step of its own, in which a choice can say who gets it. Without a signal all
// that follows is the runtime's.
Effect expire(World& world, TaskId id) {
  if (world.task(id).pending.signal == 0) return {.released = true, .timed_out = true};
  Operation send = world.task(id).pending;
  send.kind = OperationKind::SignalSend;
  send.object = send.object2;
  send.object2 = kNoObject;
  send.deadline = kNoDeadline;
  world.set_pending(id, send);
  return {.completes = false, .timed_out = true};
}

Effect detach(ThreadState& thread) {
  if (thread.joined) return misuse("detached a thread that was already joined");
  if (thread.detached) return misuse("detached a thread that is already detached");
  thread.detached = true;
  return changed();
}

Effect end(World& world, TaskId id, ThreadState& thread) {
  HEDDLE_ASSERT(!thread.ended, "a thread ends once");
  thread.ended = true;
  world.task(id).ended = true;
  const bool leaves = world.task(id).arrived_signals != 0 || world.task(id).robust_held != 0;
  abandon_robust_mutexes(world, id);
  hand_over_futexes(world, id);
  Effect effect = released();
  effect.result = leaves ? 1 : 0;  // dependence.h
  return effect;
}

Effect apply(World& world, TaskId id, Variant variant) {
  const Operation& operation = world.task(id).pending;
  ThreadState& thread = world.object(operation.object).thread;
  if (operation.kind == OperationKind::TimerExpire) return expire(world, id);
  if (variant == kTimeout) return timed_out();
  switch (operation.kind) {
    case OperationKind::ThreadCreate:
      return released();
    case OperationKind::ThreadJoin:
      return join(world, id, thread, false);
    case OperationKind::ThreadTryJoin:
      return join(world, id, thread, true);
    case OperationKind::ThreadDetach:
      return detach(thread);
    case OperationKind::ThreadExit:
      return end(world, id, thread);
    case OperationKind::ThreadCancel:
      return cancel(world, thread);
    case OperationKind::SignalSend:
      return send_signal(world, id, variant);
    case OperationKind::SignalMask:
    case OperationKind::SignalWait:
    case OperationKind::SignalSuspend:
    case OperationKind::SignalSuspended:
      return apply_signal_operation(world, id);
    default:
      return unchanged();  // ThreadStart, ThreadCreated, CancelPoint, SignalPending
  }
}

std::uint16_t variants(const World& world, const Task& task) {
  return task.pending.kind == OperationKind::SignalSend ? signal_takers(world, task) : std::uint16_t{1};
}

}  // namespace

const ObjectModel kThreadModel = {enabled, variants, apply, never_spurious};

}  // namespace heddle::model
