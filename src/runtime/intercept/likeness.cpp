// See likeness.h.
#include "runtime/intercept/likeness.h"

#include <dlfcn.h>
#include <link.h>
#include <string.h>

#include "model/world.h"
#include "protocol/mix.h"
#include "runtime/heap/program_heap.h"
#include "runtime/state/runtime.h"

namespace heddle::runtime {
namespace {

// So many tasks before a new one are compared with it: a pool's threads are made one after the other.
constexpr std::uint32_t kCompared = 16;
constexpr std::size_t kMostBytes = 512;

std::uint64_t mixed(std::uint64_t hash, std::uint64_t value) { return scrambled(hash * kGoldenRatio + value); }

bool is_of_libstdcpp(const void* function) {
  dl_find_object file;
  if (_dl_find_object(const_cast<void*>(function), &file) != 0 || file.dlfo_link_map == nullptr) return false;
  const char* const slash = strrchr(file.dlfo_link_map->l_name, '/');
  return slash != nullptr && strncmp(slash + 1, "libstdc++.so", 12) == 0;
}

// 0: what it holds can't be compared.
std::uint64_t contents_of(void* block) {
  const std::size_t bytes = heap_serves() ? heap_usable_bytes(block) : 0;
  if (bytes == 0 || bytes > kMostBytes) return 0;
  std::uint64_t hash = bytes;
  for (std::size_t at = 0; at + sizeof hash <= bytes; at += sizeof hash) {
    std::uint64_t word = 0;
    memcpy(&word, static_cast<const char*>(block) + at, sizeof word);
    hash = mixed(hash, word);
  }
  return hash;
}

std::uint64_t argument_of(const TaskData& data) {
  const auto pointer = reinterpret_cast<std::uintptr_t>(data.argument);
  if (!is_of_libstdcpp(reinterpret_cast<const void*>(data.entry))) return pointer;
  const std::uint64_t contents = contents_of(data.argument);
  return contents != 0 ? contents : pointer;
}

}  // namespace

void find_like(TaskId task, const pthread_attr_t* attributes, std::uint64_t mask) {
  model::World& world = *runtime.world;
  TaskData& data = runtime.tasks[task];
  const model::ThreadState& thread = world.object(world.task(task).thread).thread;
  const TaskId parent = world.task(task).parent;
  std::uint64_t hash = mixed(reinterpret_cast<std::uintptr_t>(data.entry), argument_of(data));
  hash = mixed(hash, mask);
  hash = mixed(hash, thread.detached ? 1 : 0);
  hash = mixed(hash, static_cast<std::uint64_t>(data.policy) << 32 | static_cast<std::uint32_t>(data.priority));
  hash = mixed(hash, static_cast<std::uint32_t>(data.nice));
  if (attributes != nullptr) {
    hash = mixed(hash, data.stack_size);
    hash = mixed(hash, data.guard_size);
  }
  data.likeness = hash;
  for (std::uint32_t before = task; before > 1 && task - before < kCompared;) {
    const auto other = static_cast<TaskId>(--before);
    if (world.task(other).parent != parent || runtime.tasks[other].likeness != hash) continue;
    if (world.object(world.task(other).thread).thread.joined) return;
    data.like = runtime.tasks[other].like != kNoTask ? runtime.tasks[other].like : other;
    return;
  }
}

}  // namespace heddle::runtime
