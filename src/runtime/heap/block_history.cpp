// See block_history.h.
#include "runtime/heap/block_history.h"

#include <stdio.h>

#include <atomic>

#include "runtime/os/system_call.h"
#include "runtime/recorder.h"
#include "runtime/runtime.h"
#include "runtime/stacks.h"

namespace heddle::runtime {

bool notes_blocks = false;

namespace {

// A ring: behind so many only the latest are known.
constexpr std::uint64_t kMostEvents = std::uint64_t{1} << 20;

BlockEvent* events = nullptr;
std::atomic<std::uint64_t> event_count{0};  // threads that we do not schedule allocate beside the others
bool walking = false;                       // a task's call stack: the unwinder may allocate

void note(const void* memory, std::size_t bytes, bool freed) {
  const bool foreign = is_foreign_thread();
  if (memory == nullptr || (!foreign && (walking || runtime.inside))) return;
  BlockEvent& event = events[event_count.fetch_add(1, std::memory_order_relaxed) % kMostEvents];
  event.begin = reinterpret_cast<std::uint64_t>(memory);
  event.bytes = bytes;
  event.steps = runtime.world->steps();
  event.task = foreign ? kNoTask : runtime.current;
  event.freed = freed;
  event.depth = 0;
  if (foreign) return;
  walking = true;
  event.depth = static_cast<std::uint8_t>(capture_program_stack(event.stack, BlockEvent::kDepth));
  walking = false;
}

// The latest event that `fits`.
template <typename Fits>
const BlockEvent* latest(Fits fits) {
  const std::uint64_t count = event_count.load(std::memory_order_relaxed);
  const std::uint64_t kept = count < kMostEvents ? count : kMostEvents;
  for (std::uint64_t back = 1; back <= kept; ++back)
    if (const BlockEvent& event = events[(count - back) % kMostEvents]; fits(event)) return &event;
  return nullptr;
}

// "what begin bytes task steps site…", behind a zero byte.
std::size_t write_event(char* to, std::size_t room, const char* what, const BlockEvent& event) {
  *to = '\0';
  int length =
      1 + snprintf(to + 1, room - 1, "%s %lx %lx %x %x", what, event.begin, event.bytes, event.task, event.steps);
  for (unsigned i = 0; i < event.depth; ++i)
    length += snprintf(to + length, room - static_cast<std::size_t>(length), " %lx", event.stack[i]);
  return static_cast<std::size_t>(length);
}

}  // namespace

void begin_noting_blocks() {
  if (notes_blocks) return;
  events = static_cast<BlockEvent*>(os::reserve(sizeof(BlockEvent) * kMostEvents));
  notes_blocks = events != nullptr;
}

void note_block(const void* memory, std::size_t bytes) { note(memory, bytes, false); }

void note_free(const void* memory) { note(memory, 0, true); }

const BlockEvent* latest_block(std::uint64_t address) {
  if (!notes_blocks) return nullptr;
  return latest([address](const BlockEvent& event) { return address - event.begin < event.bytes; });
}

void record_heap_fault(const void* memory) {
  const auto address = reinterpret_cast<std::uint64_t>(memory);
  constexpr std::size_t kOneEvent = 96 + BlockEvent::kDepth * 17;
  char text[32 + 2 * kOneEvent];
  auto length = static_cast<std::size_t>(snprintf(text, 32, "%lx", address));
  if (notes_blocks) {
    const BlockEvent* const block = latest_block(address);
    if (block != nullptr) length += write_event(text + length, kOneEvent, "block", *block);
    // Behind the block: what was freed there before is another one's.
    const BlockEvent* const last = latest([address](const BlockEvent& event) { return event.begin == address; });
    if (last != nullptr && last->freed) length += write_event(text + length, kOneEvent, "freed", *last);
  }
  record_message(MessageKind::HeapFault, runtime.current, text, length);
}

}  // namespace heddle::runtime
