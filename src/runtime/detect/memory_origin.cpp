// See memory_origin.h.
#include "runtime/detect/memory_origin.h"

#include <stdio.h>

#include "protocol/memory_text.h"
#include "runtime/heap/block_history.h"
#include "runtime/ring/recorder.h"
#include "runtime/state/address_space.h"
#include "runtime/state/memory_map.h"
#include "runtime/state/runtime.h"
#include "runtime/state/stacks.h"

namespace heddle::runtime {

namespace {

void record_block(std::uint64_t address, Site site, const BlockEvent& block) {
  char text[96 + BlockEvent::kDepth * 17];
  int length = snprintf(text, sizeof text, "%lx %lx", address, site) + 1;
  length += snprintf(text + length, sizeof text - static_cast<std::size_t>(length), "%s %lx %lx %x", MemoryText::kBlock,
                     block.begin, block.bytes, block.task);
  for (unsigned i = 0; i < block.depth; ++i)
    length += snprintf(text + length, sizeof text - static_cast<std::size_t>(length), " %lx", stack_of(block)[i]);
  record_message(MessageKind::MemoryOrigin, block.task, text, static_cast<std::size_t>(length));
}

// A thread's own control block lies at the top of its stack, and stacks lie one below the other: the next one above the
// address is that of its thread. Of several threads that had the stack one after the other, it is the last.
TaskId owner_of_stack(std::uint64_t address) {
  TaskId owner = kNoTask;
  std::uint64_t nearest = UINT64_MAX;
  for (std::uint32_t i = 0; i < runtime.world->population().task_count(); ++i) {
    const std::uint64_t top = runtime.tasks[i].thread_pointer;
    if (top < address || top > nearest) continue;
    nearest = top;
    owner = static_cast<TaskId>(i);
  }
  return is_task_stack(nearest) ? owner : kNoTask;
}

// The frame that the address lies in, with its two neighbours: the one behind says where it ends, the one before may
// have its parameters there. 0 where it lies in none that is known.
unsigned frame_around(std::uint64_t address, const TaskData& data) {
  const FrameRegisters* const frames = frame_registers(data);
  for (unsigned i = 0; i + 1 < data.stack_depth; ++i)
    if (frames[i].stack_pointer <= address && address < frames[i + 1].stack_pointer) return i + 1;
  return 0;
}

// `by` accesses it at `site`. Where the running task does, that is where it is; else each stands where it has published
// what it waits for.
void record_stack_of(std::uint64_t address, TaskId task, TaskId by, Site site) {
  char text[256];
  int length = snprintf(text, sizeof text, "%lx %lx", address, site) + 1;
  length += snprintf(text + length, sizeof text - static_cast<std::size_t>(length), "%s %x", MemoryText::kStack, task);
  if (task == runtime.current && task == by) capture_stack(task, site);
  const TaskData& data = runtime.tasks[task];
  const bool is_known = !runtime.world->task(task).ended && data.stack_depth > 1;
  const unsigned end = is_known ? frame_around(address, data) : 0;
  for (unsigned i = end > 1 ? end - 2 : 0; end != 0 && i <= end; ++i) {
    const FrameRegisters& frame = frame_registers(data)[i];
    length += snprintf(text + length, sizeof text - static_cast<std::size_t>(length), " %lx %lx %lx", data.stack[i],
                       frame.stack_pointer, frame.frame_pointer);
  }
  record_message(MessageKind::MemoryOrigin, task, text, static_cast<std::size_t>(length));
}

bool on_main_stack(std::uint64_t address) {
  struct Search {
    std::uint64_t address;
    bool found;
  } search{address, false};
  for_each_mapping(
      [](const Mapping& mapping, void* argument) {
        auto& wanted = *static_cast<Search*>(argument);
        wanted.found = mapping.main_stack && wanted.address >= mapping.begin && wanted.address < mapping.end;
        return !wanted.found;
      },
      &search);
  return search.found;
}

}  // namespace

void record_memory_origin(std::uint64_t address, TaskId task, Site site) {
  if (!execution_history.notes_blocks) return;
  if (const BlockEvent* block = latest_block(address); block != nullptr) return record_block(address, site, *block);
  if (on_main_stack(address)) return record_stack_of(address, 0, task, site);
  if (!is_task_stack(address)) return;
  if (const TaskId owner = owner_of_stack(address); owner != kNoTask) record_stack_of(address, owner, task, site);
}

}  // namespace heddle::runtime
