// See written_values.h.
#include "runtime/detect/written_values.h"

#include <stdio.h>
#include <string.h>

#include "protocol/memory_text.h"
#include "runtime/heap/block_history.h"
#include "runtime/ring/recorder.h"
#include "runtime/snapshot/user_memory.h"
#include "runtime/state/runtime.h"
#include "runtime/state/up_calls.h"

namespace heddle::runtime {
namespace {

struct ExecutionWrite {
  const void* address = nullptr;  // null: nothing is to be read
  std::uint32_t size = 0;
  TaskId task = 0;
  Site site = 0;             // of the access
  bool behind_step = false;  // it is that of the step
  bool races = false;        // it is the later access of a race
  std::uint32_t told = 0;
};
constinit ExecutionWrite execution_write{};

// Of more, only the first ones are told: an execution has room for so many messages.
constexpr std::uint32_t kMost = 2000;

bool is_value(std::size_t size) { return size == 1 || size == 2 || size == 4 || size == 8; }

void record_value(const char* what, const void* address, std::uint32_t size, TaskId task) {
  std::uint64_t value = 0;
  if (execution_write.told >= kMost || !can_read(address, size)) return;
  ++execution_write.told;
  memcpy(&value, address, size);
  char text[64];
  const int length =
      snprintf(text, sizeof text, "%s %lx %x %lx", what, reinterpret_cast<std::uintptr_t>(address), size, value);
  record_message(MessageKind::MemoryOrigin, task, text, static_cast<std::size_t>(length));
}

// If another write was noted before, it has been made by now: its value can be read.
void expect_write(const void* address, std::size_t size, Site site) {
  const bool is_same = execution_write.address == address && execution_write.size == size &&
                       execution_write.task == runtime.current && execution_write.site == site;
  if (!is_same) record_written_value();
  execution_write.address = address;
  execution_write.size = static_cast<std::uint32_t>(size);
  execution_write.task = runtime.current;
  execution_write.site = site;
}

}  // namespace

void note_write(const void* address, std::size_t size, Site site) {
  if (!execution_history.notes_blocks || !is_value(size)) return;
  record_written_value();
  expect_write(address, size, site);
  execution_write.behind_step = true;
}

void note_more_writing(std::uint64_t address, std::size_t size, Site site) {
  const auto begin = reinterpret_cast<std::uintptr_t>(execution_write.address);
  if (begin == 0 || (execution_write.site == site && execution_write.task == runtime.current)) return;
  if (address < begin + execution_write.size && begin < address + size) record_written_value();
}

void note_racing_access(std::uint64_t address, std::size_t size, Site site, bool earlier_wrote, bool later_writes) {
  if (!execution_history.notes_blocks || !is_value(size)) return;
  const auto* const memory = reinterpret_cast<const void*>(address);
  if (earlier_wrote) record_value(ValueText::kBefore, memory, static_cast<std::uint32_t>(size), runtime.current);
  if (!later_writes) return;
  expect_write(memory, size, site);
  execution_write.races = true;
}

void record_written_value() {
  const ExecutionWrite write = execution_write;
  if (write.address == nullptr) return;
  execution_write = {};
  execution_write.told = write.told;
  if (write.behind_step) record_value(ValueText::kWritten, write.address, write.size, write.task);
  if (write.races) record_value(ValueText::kAfter, write.address, write.size, write.task);
}

}  // namespace heddle::runtime
