// See stack_attributes.h, and allocate_stack() in carrier.h.
#include "runtime/carrier/stack_attributes.h"

#include <sys/mman.h>

#include <utility>

#include "protocol/page.h"
#include "runtime/carrier/large_stacks.h"
#include "runtime/os/real.h"
#include "runtime/os/system_call.h"
#include "runtime/schedule/carrier.h"
#include "runtime/snapshot/snapshot.h"
#include "runtime/state/address_space.h"
#include "runtime/state/runtime.h"
#include "runtime/world/undo.h"

namespace heddle::runtime {
namespace {

constexpr std::size_t kPage = kPageBytes;
constexpr std::size_t kGuard = kPage;
// On top of what was asked for: a parked thread's own frames and the interceptors' need room on small stacks too.
constexpr std::size_t kOverhead = std::size_t{64} * 1024;

// Those larger than the default are apart: how many of the usual ones there are already differs between processes.
constexpr std::uintptr_t kLargeTop = kStacksTop - kStacksBytes;
struct ExecutionStacks {
  std::uintptr_t next_top = kStacksTop;  // stacks lie one below the other from there down
  std::uintptr_t next_large_top = kLargeTop;
};
constinit ExecutionStacks execution_stacks{};

struct ProcessStacks {
  std::size_t default_size = 0;  // 0: not asked for yet
};
constinit ProcessStacks process_stacks{};

bool has_stack_address(const pthread_attr_t* wanted, std::size_t& size) {
  void* low = nullptr;
  pthread_attr_getstack(wanted, &low, &size);
  return reinterpret_cast<std::uintptr_t>(low) + size != 0;  // glibc computes `low` from a null top when none was set
}

// Is there room for so much below `top`, in the region that ends at `region_top`?
bool has_room(std::uintptr_t top, std::uintptr_t region_top, std::size_t size) {
  return size <= top - region_top + kStacksBytes;
}

bool map_stack(std::uintptr_t low, std::size_t size) {
  // Nothing is mapped between two stacks: that is the guard, and costs fork() no mapping.
  constexpr int kFlags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK | MAP_FIXED_NOREPLACE;
  return os::system_call(SYS_mmap, static_cast<long>(low), static_cast<long>(size), PROT_READ | PROT_WRITE, kFlags, -1,
                         0) == static_cast<long>(low);
}

// One of this process's, on a snapshot of this execution's alone.
bool make_large_stack(std::uintptr_t low, std::size_t size) {
  if (find_large_stack(low, size) == LargeStack::Ready) return true;
  return map_stack(low, size) && (!on_snapshot() || on_new_mapping(low, size));
}

}  // namespace

std::uintptr_t map_large_stack(std::uintptr_t above, std::size_t size) {
  const std::uintptr_t top = above != 0 ? above - kGuard : execution_stacks.next_large_top;
  return has_room(top, kLargeTop, size) && map_stack(top - size, size) ? top - size : 0;
}

void* allocate_stack(std::size_t bytes) {
  const bool large = bytes > default_stack_size() + kOverhead;
  std::uintptr_t& top = large ? execution_stacks.next_large_top : execution_stacks.next_top;
  const std::size_t size = (bytes + kPage - 1) / kPage * kPage;
  if (!has_room(top, large ? kLargeTop : kStacksTop, size)) return nullptr;
  const std::uintptr_t low = top - size;
  if (!(large ? make_large_stack(low, size) : map_stack(low, size))) return nullptr;
  top = low - kGuard;
  return reinterpret_cast<void*>(low);
}

std::size_t default_stack_size() {
  std::size_t& size = process_stacks.default_size;
  if (size == 0) {
    pthread_attr_t defaults;
    real::pthread_attr_init(&defaults);
    pthread_attr_getstacksize(&defaults, &size);
    real::pthread_attr_destroy(&defaults);
  }
  return size;
}

StackAttributes::StackAttributes() {
  real::pthread_attr_init(&attributes_);
  const std::size_t size = default_stack_size() + kOverhead;
  void* const stack = allocate_stack(size);
  if (stack == nullptr) return;
  real::pthread_attr_setstack(&attributes_, stack, size);
  low_ = reinterpret_cast<std::uintptr_t>(stack);
}

void StackAttributes::give_back() const {
  if (low_ == 0) return;
  const std::size_t size = (default_stack_size() + kOverhead + kPage - 1) / kPage * kPage;
  os::system_call(SYS_munmap, static_cast<long>(low_), static_cast<long>(size));
  execution_stacks.next_top = low_ + size;
}

bool find_stack(const pthread_attr_t* wanted, WantedStack& stack) {
  if (wanted == nullptr) {
    stack.guard = kDefaultGuard;
    return true;
  }
  if (has_stack_address(wanted, stack.size)) {  // has no guard
    void* low = nullptr;
    pthread_attr_getstack(wanted, &low, &stack.size);
    stack.low = reinterpret_cast<std::uintptr_t>(low);
    return true;
  }
  pthread_attr_getguardsize(wanted, &stack.guard);
  stack.guard = (stack.guard + kPage - 1) & ~(kPage - 1);
  const std::size_t size = std::exchange(stack.size, 0);
  if (size == 0 || size == default_stack_size()) return true;
  stack.size = size + kOverhead;
  if (size < default_stack_size()) return true;
  stack.low = reinterpret_cast<std::uintptr_t>(allocate_stack(stack.size));
  return stack.low != 0;
}

void* frames_top(const WantedStack& stack, std::uintptr_t low, void* top) {
  if (stack.size == 0 || (stack.low == 0 && low == 0)) return top;
  const std::uintptr_t end = ((stack.low != 0 ? stack.low : low) + stack.size) & ~std::uintptr_t{63};
  if (stack.low == 0 && end >= reinterpret_cast<std::uintptr_t>(top)) return top;
  return reinterpret_cast<void*>(end);
}

void note_stack(TaskId task, const WantedStack& stack, std::uintptr_t low) {
  TaskData& data = runtime.tasks[task];
  data.stack_low = stack.low != 0 ? stack.low : low;
  data.stack_size = data.stack_low != 0 ? stack.size : 0;
  data.guard_size = stack.guard;
}

}  // namespace heddle::runtime
