// See likeness.h.
#include "runtime/intercept/likeness.h"

#include <dlfcn.h>
#include <link.h>
#include <string.h>

#include "model/state_hash.h"
#include "runtime/heap/program_heap.h"
#include "runtime/state/runtime.h"

namespace heddle::runtime {
namespace {

// So many tasks before a new one are compared with it: a pool's threads are made one after the other.
constexpr std::uint32_t kCompared = 16;
constexpr std::size_t kMostBytes = 512;

bool is_of_libstdcpp(const void* function) {
  dl_find_object file;
  if (_dl_find_object(const_cast<void*>(function), &file) != 0 || file.dlfo_link_map == nullptr) return false;
  const char* const slash = strrchr(file.dlfo_link_map->l_name, '/');
  return slash != nullptr && strncmp(slash + 1, "libstdc++.so", 12) == 0;
}

// False: what it holds can't be compared.
bool add_contents(model::StateHash& hash, void* block) {
  const std::size_t bytes = heap_serves() ? heap_usable_bytes(block) : 0;
  if (bytes == 0 || bytes > kMostBytes) return false;
  hash.add(bytes);
  for (std::size_t at = 0; at + sizeof(std::uint64_t) <= bytes; at += sizeof(std::uint64_t)) {
    std::uint64_t word = 0;
    memcpy(&word, static_cast<const char*>(block) + at, sizeof word);
    hash.add(word);
  }
  return true;
}

void add_argument(model::StateHash& hash, const TaskData& data) {
  if (is_of_libstdcpp(reinterpret_cast<const void*>(data.entry)) && add_contents(hash, data.argument)) return;
  hash.add(reinterpret_cast<std::uintptr_t>(data.argument));
}

}  // namespace

void find_like(TaskId task, std::uint64_t mask) {
  model::World& world = *runtime.world;
  TaskData& data = runtime.tasks[task];
  const TaskId parent = world.task(task).parent;
  model::StateHash hash;
  hash.add(reinterpret_cast<std::uintptr_t>(data.entry));
  add_argument(hash, data);
  hash.add(mask);
  hash.add(world.object(world.task(task).thread).thread.detached ? 1 : 0);
  hash.add(static_cast<std::uint64_t>(data.policy) << 32 | static_cast<std::uint32_t>(data.priority));
  hash.add(static_cast<std::uint32_t>(data.nice));
  hash.add(data.stack_size);
  hash.add(data.guard_size);
  data.likeness = hash.one;
  for (std::uint32_t before = task; before > 1 && task - before < kCompared;) {
    const auto other = static_cast<TaskId>(--before);
    if (world.task(other).parent != parent || runtime.tasks[other].likeness != data.likeness) continue;
    if (world.object(world.task(other).thread).thread.joined) return;
    data.like = runtime.tasks[other].like != kNoTask ? runtime.tasks[other].like : other;
    return;
  }
}

}  // namespace heddle::runtime
