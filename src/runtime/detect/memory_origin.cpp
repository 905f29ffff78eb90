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

// What a message begins with: of what it is the origin.
struct Header {
  char text[40];
};

void record_block(const Header& header, const BlockEvent& block) {
  char text[136 + BlockEvent::kDepth * 17];
  int length = snprintf(text, sizeof text, "%s", header.text) + 1;
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

// Each task stands where its stack was captured.
void record_stack_of(const Header& header, std::uint64_t address, TaskId task) {
  char text[296];
  int length = snprintf(text, sizeof text, "%s", header.text) + 1;
  length += snprintf(text + length, sizeof text - static_cast<std::size_t>(length), "%s %x", MemoryText::kStack, task);
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

// Whose stack the address lies on; kNoTask: on none that is known.
TaskId task_of_stack(std::uint64_t address) {
  if (on_main_stack(address)) return 0;
  return is_task_stack(address) ? owner_of_stack(address) : kNoTask;
}

}  // namespace

void record_memory_origin(std::uint64_t address, TaskId task, Site site) {
  if (!execution_history.notes_blocks) return;
  Header header;
  snprintf(header.text, sizeof header.text, "%lx %lx", address, site);
  if (const BlockEvent* block = latest_block(address); block != nullptr) return record_block(header, *block);
  const TaskId owner = task_of_stack(address);
  if (owner == kNoTask) return;
  // The running task is where it accesses it; the others stand where they have published what they wait for.
  if (owner == runtime.current && owner == task) capture_stack(owner, site);
  record_stack_of(header, address, owner);
}

void record_object_origin(ObjectId object) {
  const model::Object& known = runtime.world->object(object);
  constexpr ObjectId kMost = 1000;  // nobody reads so many names
  if (!execution_history.notes_blocks || known.recorded || object > kMost || known.kind == ObjectKind::Thread ||
      known.kind == ObjectKind::Descriptor)
    return;
  Header header;
  snprintf(header.text, sizeof header.text, "%s %x", MemoryText::kObject, object);
  if (const BlockEvent* block = latest_block(known.address); block != nullptr) return record_block(header, *block);
  if (const TaskId owner = task_of_stack(known.address); owner != kNoTask)
    record_stack_of(header, known.address, owner);
}

}  // namespace heddle::runtime
