// See memory_names.h.
#include "runtime/ring/memory_names.h"

#include <stdio.h>
#include <string.h>

#include "runtime/os/system_call.h"
#include "runtime/ring/recorder.h"
#include "runtime/state/runtime.h"

namespace heddle::runtime {
namespace {

constexpr std::size_t kLongestName = 63;
constexpr unsigned kMaxNames = 1000;

struct MemoryName {
  MemoryName* next;
  std::uintptr_t begin;
  std::size_t size;
  char name[kLongestName + 1];
};

struct ExecutionNames {
  MemoryName* first = nullptr;
  unsigned count = 0;
};
constinit ExecutionNames execution_names{};

void record(const MemoryName& named) {
  char text[kLongestName + 48];
  const int begin = snprintf(text, sizeof text, "%lx %zx", named.begin, named.size) + 1;
  const std::size_t length = strlen(named.name);
  memcpy(text + begin, named.name, length);
  record_message(MessageKind::MemoryName, kNoTask, text, static_cast<std::size_t>(begin) + length);
}

}  // namespace

void name_memory(const volatile void* address, std::size_t size, const char* name) {
  if (!controlled() || name == nullptr || execution_names.count == kMaxNames) return;
  const auto begin = reinterpret_cast<std::uintptr_t>(address);
  for (const MemoryName* known = execution_names.first; known != nullptr; known = known->next)
    if (known->begin == begin && strncmp(known->name, name, kLongestName) == 0) return;
  auto* named = static_cast<MemoryName*>(os::allocate(sizeof(MemoryName)));
  ++execution_names.count;
  named->next = execution_names.first;
  named->begin = begin;
  named->size = size;
  strncpy(named->name, name, kLongestName);
  named->name[kLongestName] = '\0';
  execution_names.first = named;
  if (runtime.record_stacks) record(*named);
}

void record_memory_names() {
  if (!runtime.record_stacks) return;
  for (const MemoryName* named = execution_names.first; named != nullptr; named = named->next) record(*named);
}

}  // namespace heddle::runtime
