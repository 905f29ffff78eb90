// See large_stacks.h.
#include "runtime/carrier/large_stacks.h"

#include <sys/mman.h>

#include "runtime/os/system_call.h"
#include "runtime/schedule/carrier.h"
#include "runtime/snapshot/snapshot.h"
#include "runtime/state/runtime.h"
#include "runtime/state/up_calls.h"

namespace heddle::runtime {
namespace {

constexpr std::uint32_t kMaxChanges = 48;

struct Stack {
  std::uintptr_t low;
  std::size_t size;
};

struct PermanentLargeStacks {
  // In the order in which they are given out, each below the one before. What the zygote has mapped is the same in all
  // of its children, but for those that had to unmap some: never on a snapshot.
  Stack ready[kMaxLargeStacks] = {};
  std::uint32_t count = 0;
};
HEDDLE_PERMANENT constinit PermanentLargeStacks permanent_large_stacks{};

void unmap_from(std::uint32_t first) {
  for (std::uint32_t i = first; i < permanent_large_stacks.count; ++i)
    os::system_call(SYS_munmap, static_cast<long>(permanent_large_stacks.ready[i].low),
                    static_cast<long>(permanent_large_stacks.ready[i].size));
  if (first < permanent_large_stacks.count) permanent_large_stacks.count = first;
}

// The first that reaches below `top`, which is where the next stack ends.
std::uint32_t first_below(std::uintptr_t top) {
  std::uint32_t index = 0;
  while (index < permanent_large_stacks.count && permanent_large_stacks.ready[index].low >= top) ++index;
  return index;
}

// The stack with this number gets this size, and as many after it, until more is known.
void want(std::uint32_t number, std::size_t size) {
  Status& status = runtime.shared->status;
  const std::uint32_t changes = status.large_stack_changes.load() + 1;
  status.large_stack_changes.store(changes);
  const std::uint32_t most = 2 * number + 1 < kMaxLargeStacks ? 2 * number + 1 : kMaxLargeStacks;
  for (std::uint32_t i = number; i < most; ++i) status.large_stack_bytes[i].store(size);
  status.large_stacks.store(changes < kMaxChanges ? most : 0);  // 0: given up
}

bool may_want(std::uint32_t number) {
  return on_snapshot() && number < kMaxLargeStacks && runtime.shared->status.large_stack_changes.load() < kMaxChanges;
}

}  // namespace

void prepare_large_stacks() {
  const Status& status = runtime.shared->status;
  std::uint32_t wanted = status.large_stacks.load(std::memory_order_relaxed);
  if (wanted > kMaxLargeStacks) wanted = kMaxLargeStacks;  // the program can write there
  std::uint32_t same = 0;
  while (same < wanted && same < permanent_large_stacks.count &&
         permanent_large_stacks.ready[same].size == status.large_stack_bytes[same].load())
    ++same;
  unmap_from(same);
  for (; permanent_large_stacks.count < wanted; ++permanent_large_stacks.count) {
    const std::size_t size = status.large_stack_bytes[permanent_large_stacks.count].load();
    const std::uintptr_t low = map_large_stack(
        permanent_large_stacks.count != 0 ? permanent_large_stacks.ready[permanent_large_stacks.count - 1].low : 0,
        size);
    if (low == 0) return;
    permanent_large_stacks.ready[permanent_large_stacks.count] = {low, size};
  }
}

LargeStack find_large_stack(std::uintptr_t low, std::size_t size) {
  const std::uint32_t number = first_below(low + size);
  if (number < permanent_large_stacks.count && permanent_large_stacks.ready[number].low == low &&
      permanent_large_stacks.ready[number].size == size)
    return LargeStack::Ready;
  if (may_want(number)) {
    want(number, size);
    retire(Retirement::MoreTasks);
  }
  unmap_from(number);
  return LargeStack::Free;
}

}  // namespace heddle::runtime
