// See block_history.h.
#include "runtime/heap/block_history.h"

#include <stdio.h>

#include <atomic>

#include "protocol/memory_text.h"
#include "runtime/heap/guards.h"
#include "runtime/os/system_call.h"
#include "runtime/ring/recorder.h"
#include "runtime/state/runtime.h"
#include "runtime/state/stacks.h"

namespace heddle::runtime {

constinit ExecutionHistory execution_history{};

namespace {

// A ring: behind so many only the latest are known, and what is said of an address is true of the latest.
constexpr std::uint64_t kMaxEvents = std::uint64_t{1} << 22;
constexpr std::uint32_t kMaxStacks = 1u << 19;
using Stack = Site[BlockEvent::kDepth];

struct ExecutionBlocks {
  BlockEvent* events = nullptr;
  std::atomic<std::uint64_t> event_count{0};  // threads that we do not schedule allocate beside the others
  Stack* stacks = nullptr;
  std::uint32_t stack_count = 0;
  bool walking = false;  // a task's call stack: the unwinder may allocate
};
constinit ExecutionBlocks execution_blocks{};

void walk(BlockEvent& event) {
  if (execution_blocks.stack_count == kMaxStacks) return;
  execution_blocks.walking = true;
  event.stack = execution_blocks.stack_count++;
  event.depth =
      static_cast<std::uint8_t>(capture_program_stack(execution_blocks.stacks[event.stack], BlockEvent::kDepth));
  execution_blocks.walking = false;
}

void note(const void* memory, std::size_t bytes, bool freed) {
  const bool foreign = is_foreign_thread();
  if (memory == nullptr || (!foreign && (execution_blocks.walking || runtime.inside))) return;
  BlockEvent& event =
      execution_blocks.events[execution_blocks.event_count.fetch_add(1, std::memory_order_relaxed) % kMaxEvents];
  event = {reinterpret_cast<std::uint64_t>(memory),
           bytes,
           runtime.world->schedule().steps().count(),
           foreign ? kNoTask : runtime.current,
           freed,
           0,
           0};
  if (!foreign) walk(event);
}

// The latest event that `fits`, behind the latest `at`, which becomes how many came since that one.
template <typename Fits>
const BlockEvent* latest(std::uint64_t& at, Fits fits) {
  const std::uint64_t count = execution_blocks.event_count.load(std::memory_order_relaxed);
  const std::uint64_t kept = count < kMaxEvents ? count : kMaxEvents;
  for (; at < kept; ++at)
    if (const BlockEvent& event = execution_blocks.events[(count - at - 1) % kMaxEvents]; fits(event)) return &event;
  return nullptr;
}

// "what begin bytes task steps site…", behind a zero byte.
std::size_t write_event(char* to, std::size_t room, const BlockEvent& event) {
  *to = '\0';
  int length = 1 + snprintf(to + 1, room - 1, "%s %lx %lx %x %x", event.freed ? MemoryText::kFreed : MemoryText::kBlock,
                            event.begin, event.bytes, event.task, event.steps);
  for (unsigned i = 0; i < event.depth; ++i)
    length += snprintf(to + length, room - static_cast<std::size_t>(length), " %lx", stack_of(event)[i]);
  return static_cast<std::size_t>(length);
}

const BlockEvent* latest_at(std::uint64_t begin) {
  std::uint64_t at = 0;
  return latest(at, [begin](const BlockEvent& event) { return event.begin == begin; });
}

// The block that begins at the address, or else the latest one that held it; 0 when none is known.
std::uint64_t begin_of_block(std::uint64_t address) {
  if (latest_at(address) != nullptr) return address;
  const BlockEvent* const around = latest_block(address);
  return around == nullptr ? 0 : around->begin;
}

constexpr unsigned kTold = 6;  // three lives of a block
constexpr std::size_t kOneEvent = 96 + BlockEvent::kDepth * 17;
constexpr std::size_t kOverrunText = 32;
constexpr std::size_t kFaultText = 32 + kTold * kOneEvent + kOverrunText;

std::size_t write_fault(char* text, const void* memory) {
  const auto address = reinterpret_cast<std::uint64_t>(memory);
  auto length = static_cast<std::size_t>(snprintf(text, 32, "%lx", address));
  const std::uint64_t begin = execution_history.notes_blocks ? begin_of_block(address) : 0;
  std::uint64_t at = 0;
  for (unsigned told = 0; begin != 0 && told < kTold; ++told, ++at) {
    const BlockEvent* const event = latest(at, [begin](const BlockEvent& one) { return one.begin == begin; });
    if (event == nullptr) break;
    length += write_event(text + length, kOneEvent, *event);
  }
  return length;
}

}  // namespace

void begin_noting_blocks() {
  if (execution_history.notes_blocks) return;
  execution_blocks.events = static_cast<BlockEvent*>(os::reserve(sizeof(BlockEvent) * kMaxEvents));
  execution_blocks.stacks = static_cast<Stack*>(os::reserve(sizeof(Stack) * kMaxStacks));
  execution_history.notes_blocks = execution_blocks.events != nullptr && execution_blocks.stacks != nullptr;
}

void note_block(const void* memory, std::size_t bytes) { note(memory, bytes, false); }

void note_free(const void* memory) { note(memory, 0, true); }

const BlockEvent* latest_block(std::uint64_t address) {
  if (!execution_history.notes_blocks) return nullptr;
  std::uint64_t at = 0;
  return latest(at, [address](const BlockEvent& event) { return address - event.begin < event.bytes; });
}

bool is_noted_as_freed(const void* memory) {
  if (!execution_history.notes_blocks) return false;
  const BlockEvent* const event = latest_at(reinterpret_cast<std::uint64_t>(memory));
  return event != nullptr && event->freed;
}

const Site* stack_of(const BlockEvent& event) { return execution_blocks.stacks[event.stack]; }

void record_heap_fault(const void* memory, bool is_overrun) {
  if (is_foreign_thread()) return;
  char text[kFaultText];
  std::size_t length = write_fault(text, memory);
  const bool notes = is_overrun && execution_history.notes_blocks;
  const BlockEvent* const event = notes ? latest_at(reinterpret_cast<std::uint64_t>(memory)) : nullptr;
  if (event != nullptr && !event->freed) {
    text[length++] = '\0';
    length += static_cast<std::size_t>(
        snprintf(text + length, kOverrunText - 1, "%s %lx", MemoryText::kOverrun, overrun_bytes(memory, event->bytes)));
  }
  record_message(MessageKind::HeapFault, runtime.current, text, length);
}

}  // namespace heddle::runtime
