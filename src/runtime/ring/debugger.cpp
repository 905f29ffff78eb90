// See debugger.h.
#include "runtime/ring/debugger.h"

#include "model/holder.h"

// The debugger has a breakpoint here. Made of one instruction and without lines, so that it stands where the argument
// still is in its register.
__asm__(
    ".text\n"
    ".globl heddle_debugger_stop\n.type heddle_debugger_stop,@function\n"
    "heddle_debugger_stop:\n"
    "  .cfi_startproc\n"
    "  nop\n  ret\n"
    "  .cfi_endproc\n"
    ".size heddle_debugger_stop, .-heddle_debugger_stop\n");
HEDDLE_EXPORT void heddle_debugger_stop(heddle::DebuggerState* state);

namespace heddle::runtime {
namespace {

void describe(TaskId id, DebuggedTask& result) {
  const model::World& world = *runtime.world;
  const model::Task& task = world.task(id);
  const model::Operation& pending = task.pending;
  Site since = 0;
  result = DebuggedTask();
  result.thread_pointer = task.ended || task.timer ? 0 : runtime.tasks[id].thread_pointer;
  result.object = pending.object;
  result.object2 = pending.object2;
  result.held_by = pending.object != kNoObject ? model::holder(world, pending.object, &since) : kNoTask;
  result.held_since = since;
  result.operation = static_cast<std::uint8_t>(task.published ? pending.kind : OperationKind::None);
  result.state = task.ended ? std::uint8_t{TaskState::Ended} : task.state;
  result.offset = object_kind(pending.kind) == ObjectKind::Memory ? pending.offset % kMemoryPiece : 0;
}

// For a stop of ours, and for one that the debugger makes until the next step.
DebuggerState& describe_all(TaskId task, bool at_end) {
  DebuggerState& state = runtime.shared->debugger;
  const std::uint32_t tasks = runtime.world->population().task_count();
  state.step = runtime.world->schedule().steps().count();
  state.task = task;
  state.at_end = at_end ? 1 : 0;
  state.count = tasks < DebuggerState::kMaxTasks ? tasks : DebuggerState::kMaxTasks;
  for (std::uint32_t id = 0; id < state.count; ++id) describe(static_cast<TaskId>(id), state.tasks[id]);
  return state;
}

}  // namespace

void stop_before_step(TaskId task) {
  if (config.debugger == 0 || !runtime.recording) return;
  DebuggerState& state = describe_all(task, false);
  if (state.step >= state.stop_at) heddle_debugger_stop(&state);
}

void stop_at_end() {
  if (config.debugger == 0) return;
  heddle_debugger_stop(&describe_all(static_cast<TaskId>(runtime.shared->status.running_task.load()), true));
}

}  // namespace heddle::runtime
