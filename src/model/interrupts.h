// Interrupts: other tasks ask a task to run a handler (signals) or to end (cancellation). See interrupts.cpp.
#pragma once

#include "model/world.h"

namespace heddle::model {

// --- of a pending operation
// Does an interrupt keep it from being the next step? Asked only where there is one.
bool follows_interrupt(const World& world, const Task& task);
// Will the next step of the task be one that follows an interrupt, instead of its pending operation?
inline bool is_interrupted(const World& world, const Task& task) {
  return task.interrupts != 0 && task.published && follows_interrupt(world, task);
}
// What the record says instead of the pending operation then: SignalArrive or CancelArrive.
OperationKind interrupting_kind(const Task& task);
// Is there a wait that a signal may end, and may it also come before it?
bool may_end_early(const World& world, const Task& task);
// How such a step with this alternative interrupts it.
Interruption interruption_by(const World& world, const Task& task, Variant variant);
// The step. The pending operation has been withdrawn.
Effect follow_interrupt(World& world, TaskId id, Interruption how);
// How the last call of the task was interrupted; asked once.
Interruption take_interruption(Task& task);

// --- what is asked of tasks
// Sets the bits of Cancellation in `set`, clears those in `clear`.
void change_cancellation(World& world, TaskId id, std::uint8_t set, std::uint8_t clear);
// Time passes while nobody can go on. Where threads are never slow (no early timeouts), whoever has published an
// operation stands in its call.
void note_waits(World& world);
// A signal that the model knows nothing of has come to the task, or has been handled.
void interrupt(World& world, TaskId id, bool by_signal);
// A signal for a task, or for the process (kNoTask), waits to be taken; it has been.
void signal_arrives(World& world, TaskId owner, int signal);
void signal_taken(World& world, TaskId owner, int signal);
void block_signals(World& world, TaskId id, std::uint64_t mask);
bool awaits(const Task& task, int signal);  // does it stand in a SignalWait for it?
// The n-th of the tasks that would take such a signal of the process now; kNoTask when there are fewer.
TaskId taker(const World& world, int signal, std::uint32_t index);
// A task that is a timer; its operations are published by whoever sets it. kNoTask when there are kMaxTasks.
TaskId add_timer(World& world, TaskId creator, Site created_at);

// --- the operations on signals, for thread.cpp, which has the table's entry for them
bool signal_operation_enabled(const World& world, const Task& task);
// SignalSend: how many threads a choice is between.
std::uint16_t signal_takers(const World& world, const Task& task);
// The result is the task that is to get it; -1: nobody yet (it waits for the process), -2: the thread has ended.
Effect send_signal(World& world, TaskId id, Variant variant);
Effect apply_signal_operation(World& world, TaskId id);

inline constexpr std::int32_t kForProcess = -1;
inline constexpr std::int32_t kNobody = -2;
// What SignalWait gives (or EINTR, ETIMEDOUT): this, the signal's number, and whether it is one of the process's.
inline constexpr std::int32_t kSignalTaken = 512;
inline constexpr std::int32_t kFromProcess = 256;

}  // namespace heddle::model
