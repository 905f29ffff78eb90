// What a debugger sees of a replay that it runs. Its side is gdb/heddle_gdb.py, which reads this layout.
#pragma once

#include <cstddef>
#include <cstdint>

namespace heddle {

struct DebuggedTask {
  std::uint64_t thread_pointer;   // of its kernel thread; 0: it has none, or has ended
  std::uint64_t held_since;       // as in PendingRecord
  std::uint32_t object, object2;  // of what it is about to do
  std::uint16_t held_by;          // who has `object`
  std::uint8_t operation;         // OperationKind
  std::uint8_t state;             // TaskState bits
  std::uint32_t offset;           // in a piece of memory
};
static_assert(sizeof(DebuggedTask) == 32);

// No member has a default: the memory is empty, and whoever writes to it makes it there.
struct DebuggerState {
  static constexpr std::uint32_t kMaxTasks = 1024;
  std::uint32_t stop_at;  // set by the debugger: the replay stops before this step, or the first one behind it
  std::uint32_t step;     // that is about to be taken
  std::uint32_t task;     // that takes it, or has brought the execution to its end
  std::uint32_t at_end;   // 1: there is no further step
  std::uint32_t count;    // of `tasks`
  std::uint32_t reserved;
  DebuggedTask tasks[kMaxTasks];
};
static_assert(offsetof(DebuggerState, tasks) == 24);

}  // namespace heddle
