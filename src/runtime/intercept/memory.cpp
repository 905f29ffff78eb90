// The malloc family. Memory comes from the program's heap (heap/program_heap.h says when it does not); calls are not
// scheduling points, except a free() of what holds synchronization objects, or that races while races are looked for.
// Calls of real:: are tail calls, so that a sanitizer's runtime behind us sees the program as its caller. In the same
// way the C++ libraries make operator delete a tail call of free(): its caller is our caller.
#include <errno.h>
#include <limits.h>
#include <malloc.h>
#include <stdint.h>
#include <stdlib.h>

#include "protocol/page.h"
#include "runtime/heap/program_heap.h"
#include "runtime/intercept/freed_objects.h"
#include "runtime/os/real.h"
#include "runtime/state/address_space.h"
#include "runtime/state/monitoring.h"
#include "runtime/state/runtime.h"
#include "runtime/state/up_calls.h"

using namespace heddle::runtime;

namespace {

constexpr size_t kPage = heddle::kPageBytes;
// For calls that come before the C library's functions were looked up, or while they are.
constexpr auto kUnknown = nullptr;

bool power_of_two(size_t value) { return value != 0 && (value & (value - 1)) == 0; }

void* or_no_memory(void* memory) {
  if (__builtin_expect(memory == nullptr, 0)) errno = ENOMEM;
  return memory;
}

// Of the program's own allocator, for what is not instrumented: strdup(), a library.
void* begin_life(void* memory, size_t bytes) {
  if (memory != nullptr) monitor_allocated(memory, bytes);
  return memory;
}

void release(void* memory, const void* caller) {
  free_objects_in(memory, caller_behind(caller));
  if (monitored()) heap_tell_of_free(memory, caller);
  heap_release(memory);
}

void give_back(void* memory, const void* caller) {
  if (in_heap(memory)) return release(memory, caller);
  if (memory == nullptr || real::free == kUnknown) return;
  real::free(memory);
}

void* resize(void* memory, size_t bytes, const void* caller) {
  if (memory == nullptr) return malloc(bytes);
  if (!in_heap(memory)) return real::realloc != kUnknown ? real::realloc(memory, bytes) : nullptr;
  if (bytes == 0) {
    release(memory, caller);
    return nullptr;
  }
  if (monitored()) heap_tell_of_free(memory, caller);
  return or_no_memory(heap_resize(memory, bytes));
}

}  // namespace

HEDDLE_EXPORT void* malloc(size_t bytes) {
  if (process_heap.is_bypassed) return monitored() ? begin_life(real::malloc(bytes), bytes) : real::malloc(bytes);
  return or_no_memory(heap_allocate(bytes));
}

HEDDLE_EXPORT void free(void* memory) { give_back(memory, __builtin_return_address(0)); }

HEDDLE_EXPORT void cfree(void* memory) { give_back(memory, __builtin_return_address(0)); }

HEDDLE_EXPORT void* calloc(size_t count, size_t size) {
  if (process_heap.is_bypassed)
    return monitored() ? begin_life(real::calloc(count, size), count * size) : real::calloc(count, size);
  size_t bytes = 0;
  return or_no_memory(__builtin_mul_overflow(count, size, &bytes) ? nullptr : heap_allocate_zeroed(bytes));
}

HEDDLE_EXPORT void* realloc(void* memory, size_t bytes) { return resize(memory, bytes, __builtin_return_address(0)); }

HEDDLE_EXPORT void* reallocarray(void* memory, size_t count, size_t size) {
  size_t bytes = 0;
  if (__builtin_mul_overflow(count, size, &bytes)) return or_no_memory(nullptr);
  return resize(memory, bytes, __builtin_return_address(0));
}

HEDDLE_EXPORT void* memalign(size_t alignment, size_t bytes) {
  if (process_heap.is_bypassed) return real::memalign(alignment, bytes);
  if (alignment > SIZE_MAX / 2 + 1) {
    errno = EINVAL;
    return nullptr;
  }
  size_t rounded = Heap::kAlignment;
  while (rounded < alignment) rounded *= 2;
  return or_no_memory(heap_allocate_aligned(rounded, bytes));
}

HEDDLE_EXPORT void* aligned_alloc(size_t alignment, size_t bytes) {
  return process_heap.is_bypassed ? real::aligned_alloc(alignment, bytes) : memalign(alignment, bytes);
}

HEDDLE_EXPORT int posix_memalign(void** memory, size_t alignment, size_t bytes) {
  if (process_heap.is_bypassed) return real::posix_memalign(memory, alignment, bytes);
  if (!power_of_two(alignment) || alignment % sizeof(void*) != 0) return EINVAL;
  void* made = heap_allocate_aligned(alignment, bytes);
  if (made == nullptr) return ENOMEM;
  *memory = made;
  return 0;
}

HEDDLE_EXPORT void* valloc(size_t bytes) {
  return process_heap.is_bypassed ? real::valloc(bytes) : or_no_memory(heap_allocate_aligned(kPage, bytes));
}

HEDDLE_EXPORT void* pvalloc(size_t bytes) {
  if (process_heap.is_bypassed) return real::pvalloc(bytes);
  if (bytes > SIZE_MAX - kPage) return or_no_memory(nullptr);
  return valloc((bytes + kPage - 1) / kPage * kPage);
}

HEDDLE_EXPORT size_t malloc_usable_size(void* memory) {
  if (in_heap(memory)) return heap_give_all(memory);
  return memory != nullptr && real::malloc_usable_size != kUnknown ? real::malloc_usable_size(memory) : 0;
}

HEDDLE_EXPORT struct mallinfo2 mallinfo2() {
  if (process_heap.is_bypassed) return real::mallinfo2();
  const HeapUse use = heap_use();
  struct mallinfo2 info {};
  info.arena = use.in_use_bytes + use.free_bytes;
  info.uordblks = use.in_use_bytes;
  info.fordblks = use.free_bytes;
  return info;
}

HEDDLE_EXPORT struct mallinfo mallinfo() {
  const auto number = [](size_t value) { return static_cast<int>(value < INT_MAX ? value : INT_MAX); };
  const struct mallinfo2 wide = mallinfo2();
  struct mallinfo info {};
  info.arena = number(wide.arena);
  info.ordblks = number(wide.ordblks);
  info.hblks = number(wide.hblks);
  info.hblkhd = number(wide.hblkhd);
  info.uordblks = number(wide.uordblks);
  info.fordblks = number(wide.fordblks);
  info.keepcost = number(wide.keepcost);
  return info;
}
