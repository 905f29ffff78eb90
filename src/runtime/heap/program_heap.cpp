// See program_heap.h.
#include "runtime/heap/program_heap.h"

#include <dlfcn.h>
#include <string.h>
#include <sys/mman.h>

#include <algorithm>

#include "runtime/heap/block_history.h"
#include "runtime/heap/guards.h"
#include "runtime/heap/layout.h"
#include "runtime/os/real.h"
#include "runtime/os/system_call.h"
#include "runtime/state/address_space.h"
#include "runtime/state/monitoring.h"
#include "runtime/state/places.h"
#include "runtime/state/runtime.h"
#include "runtime/state/stacks.h"
#include "runtime/state/up_calls.h"

namespace heddle::runtime {

constinit ProcessHeap process_heap{};

namespace {

// The second heap comes first: the begins of both share page tables.
constexpr std::size_t kOwnBytes = std::size_t{1} << 20;

struct ProcessHeaps {
  Heap* program = nullptr;
  Heap* own = nullptr;
  bool settled = false;
};
constinit ProcessHeaps process_heaps{};

// A snapshot would not see that the contents went: it restores what was written to.
bool give_pages_back(void* begin, std::size_t bytes) {
  return !on_snapshot() &&
         os::system_call(SYS_madvise, reinterpret_cast<long>(begin), static_cast<long>(bytes), MADV_DONTNEED) == 0;
}

char* map_region(std::uintptr_t address, long flags) {
  const long got = os::system_call(SYS_mmap, static_cast<long>(address), static_cast<long>(kHeapRegionBytes),
                                   PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | flags, -1, 0);
  return got < 0 && got > -4096 ? nullptr : reinterpret_cast<char*>(got);
}

bool make_heaps() {
  if (process_heap.region != nullptr) return true;
  char* got = map_region(kHeapRegion, MAP_FIXED_NOREPLACE);
  if (got == nullptr) got = map_region(0, 0);
  if (got == nullptr) return false;
  // A huge page would be copied, or split, at the first write after a fork.
  os::system_call(SYS_madvise, reinterpret_cast<long>(got), static_cast<long>(kHeapRegionBytes), MADV_NOHUGEPAGE);
  process_heaps.own = Heap::create(got, kOwnBytes, give_pages_back);
  process_heaps.program = Heap::create(got + kOwnBytes, kHeapRegionBytes - kOwnBytes, give_pages_back);
  process_heap.region = got;
  return true;
}

// Contended only by threads that Heddle does not schedule. False: this very thread is in there already, interrupted by
// a signal whose handler comes here again.
bool lock(Heap* heap) {
  const std::uint64_t self = thread_pointer();
  std::uint64_t holder = 0;
  for (unsigned tries = 1; !heap->lock_word().compare_exchange_weak(holder, self, std::memory_order_acquire); ++tries) {
    if (holder == self) return false;
    holder = 0;
    if (tries % 64 == 0) os::system_call(SYS_sched_yield);
  }
  return true;
}

void unlock(Heap* heap) { heap->lock_word().store(0, std::memory_order_release); }

Heap* owner_of(const void* memory) {
  return static_cast<const char*>(memory) < process_heap.region + kOwnBytes ? process_heaps.own : process_heaps.program;
}

// `large`: it may have been a block whose pages, and header, are given back when it is freed. On snapshots they are
// not; by the words the driver takes both for one misuse (analysis/printed.cpp).
const char* text_of(HeapFault fault, bool large) {
  switch (fault) {
    case HeapFault::DoubleFree:
      return large ? "(): double free detected (of a large block)\n" : "(): double free detected\n";
    case HeapFault::Corrupted:
      return "(): corrupted block (written to after it was freed, or past the end of the one before it)\n";
    case HeapFault::Overrun:
      return "(): a block was written past its end\n";
    case HeapFault::OverrunOrUnderrun:
      return "(): the word behind a block was overwritten (past the block's end, or before the beginning of the next "
             "one)\n";
    default:
      return large ? "(): invalid pointer (a large block that was freed before, not given out by malloc, or the word "
                     "before it was overwritten)\n"
                   : "(): invalid pointer (not given out by malloc, or the word before it was overwritten)\n";
  }
}

// `memory`: what the function was given; null: nothing.
[[noreturn]] void report(HeapFault fault, const char* function, const void* memory = nullptr) {
  const bool is_overrun = fault == HeapFault::Overrun || fault == HeapFault::OverrunOrUnderrun;
  if (memory != nullptr) record_heap_fault(memory, is_overrun);
  const bool large = in_heap(memory) && reinterpret_cast<std::uintptr_t>(memory) % kPage == 0;
  if (large && fault == HeapFault::InvalidPointer && is_noted_as_freed(memory)) fault = HeapFault::DoubleFree;
  char line[160];
  stpcpy(stpcpy(line, function), text_of(fault, large));
  os::complain(line);
  real::abort();
  __builtin_unreachable();
}

bool is_guarded(const Heap* heap) { return heap == process_heaps.program && !process_heap.is_bypassed; }

void* guarded(const Heap* heap, void* memory, std::size_t bytes) {
  return is_guarded(heap) ? guard(memory, bytes) : memory;
}

// What `call` gives for a heap that is free to be used and has room; real:: comes last.
template <typename Call, typename Last>
void* allocate_from(const char* function, Call call, Last last) {
  if (!make_heaps()) {
    process_heap.is_bypassed = true;
    initialize();  // so that real:: is known
    return last();
  }
  Heap* const heaps[] = {runtime.inside ? process_heaps.own : process_heaps.program, process_heaps.own};
  for (Heap* heap : heaps) {
    if (heap == nullptr || !lock(heap)) continue;
    void* memory = call(heap);
    unlock(heap);
    if (memory != nullptr) return memory;
    if (heap->fault() != HeapFault::None) report(heap->fault(), function);
    if (heap == process_heaps.program) return nullptr;
  }
  return last();
}

struct ExecutionHeapLimit {
  std::size_t most = SIZE_MAX;
};
constinit ExecutionHeapLimit execution_heap_limit{};

bool is_limited() { return __builtin_expect(execution_heap_limit.most != SIZE_MAX, 0) && !runtime.inside; }

bool exceeds_limit(std::size_t bytes) {
  if (!is_limited()) return false;
  const std::size_t used = heap_use().in_use_bytes;
  return used > execution_heap_limit.most || bytes > execution_heap_limit.most - used;
}

// The address at which the object that holds `code` is loaded.
const void* base_of(const void* code) {
  Dl_info info;
  return dladdr(code, &info) != 0 ? info.dli_fbase : nullptr;
}

// Calls of `name` bind to us, and behind us comes the C library's.
bool ours_to_serve(const char* name) {
  const void* first = base_of(dlsym(RTLD_DEFAULT, name));
  const void* next = base_of(dlsym(RTLD_NEXT, name));
  return first == base_of(&runtime) && next != nullptr &&
         next == base_of(reinterpret_cast<const void*>(real::libc_start_main));
}

// Another thread that holds a lock while the process is copied would not exist in the copy.
void before_fork() {
  lock(process_heaps.program);
  lock(process_heaps.own);
}

void after_fork() {
  unlock(process_heaps.own);
  unlock(process_heaps.program);
}

void watch_forks() {
  using Register = int (*)(void (*)(), void (*)(), void (*)(), void*);
  const auto watch = reinterpret_cast<Register>(dlsym(RTLD_NEXT, "__register_atfork"));
  if (watch != nullptr) watch(before_fork, after_fork, after_fork, nullptr);
}

// The race detector is not to compare with what was done to the block before.
void* begin_life(void* memory, std::size_t bytes, bool reallocated = false) {
  if (__builtin_expect(execution_places.are_named, 0) && owner_of(memory) == process_heaps.program)
    name_block(memory, bytes, reallocated);
  if (__builtin_expect(execution_history.notes_blocks, 0)) note_block(memory, bytes);
  if (monitored() && memory != nullptr)  // all of it: realloc() may give out the rest later
    monitor_allocated(memory, in_heap(memory) ? owner_of(memory)->usable_bytes(memory) : bytes);
  return memory;
}

}  // namespace

void settle_heap() {
  if (process_heaps.settled) return;
  process_heaps.settled = true;
  process_heap.is_bypassed = true;
  if (runtime.mode == Mode::PassThrough) return;
  for (const char* name : {"malloc", "free", "calloc", "realloc"})
    if (!ours_to_serve(name)) return;
  if (!make_heaps()) {
    os::complain(
        "heddle: no address space for a heap of its own (is there a limit, `ulimit -v`?); the C library's is used, and "
        "addresses may differ between executions\n");
    return;
  }
  watch_forks();
  process_heap.is_bypassed = false;
  process_heaps.program->set_fill(config.fill);
}

void begin_program_heap() {
  if (heap_serves()) process_heaps.program->forget_freed();
}

bool heap_serves() { return !process_heap.is_bypassed; }

HeapRange program_heap_range() {
  return process_heaps.program != nullptr ? process_heaps.program->range() : HeapRange{};
}

void* heap_allocate(std::size_t bytes) {
  if (exceeds_limit(bytes)) return nullptr;
  return begin_life(allocate_from(
                        "malloc", [bytes](Heap* heap) { return guarded(heap, heap->allocate(bytes), bytes); },
                        [bytes] { return real::malloc != nullptr ? real::malloc(bytes) : nullptr; }),
                    bytes);
}

void* heap_allocate_zeroed(std::size_t bytes) {
  if (exceeds_limit(bytes)) return nullptr;
  return begin_life(allocate_from(
                        "calloc", [bytes](Heap* heap) { return guarded(heap, heap->allocate_zeroed(bytes), bytes); },
                        [bytes] { return real::calloc != nullptr ? real::calloc(1, bytes) : nullptr; }),
                    bytes);
}

void* heap_allocate_aligned(std::size_t alignment, std::size_t bytes) {
  if (exceeds_limit(bytes)) return nullptr;
  return begin_life(
      allocate_from(
          "memalign", [=](Heap* heap) { return guarded(heap, heap->allocate_aligned(alignment, bytes), bytes); },
          [=] { return real::memalign != nullptr ? real::memalign(alignment, bytes) : nullptr; }),
      bytes);
}

bool heap_gives_out(std::uint64_t memory) {
  return process_heaps.program->bytes_of_block(reinterpret_cast<const void*>(memory)) != 0;
}

bool heap_has_links_at(const void* address) {
  return in_heap(address) && owner_of(address) == process_heaps.program &&
         is_link_of_free_block(process_heaps.program->range(), address);
}

std::size_t bytes_of_program(const void* memory) {
  return owner_of(memory) == process_heaps.program ? process_heaps.program->bytes_of_block(memory) : 0;
}

void heap_tell_of_free(const void* memory, const void* caller) {
  if (owner_of(memory) == process_heaps.program)
    monitor_freed(memory, process_heaps.program->bytes_of_block(memory), caller);
}

void heap_release(void* memory) {
  Heap* heap = owner_of(memory);
  if (!lock(heap)) return;  // lost, but safe
  heap->release(memory);
  unlock(heap);
  if (heap->fault() != HeapFault::None) report(heap->fault(), "free", memory);
  if (__builtin_expect(execution_history.notes_blocks, 0)) note_free(memory);
}

namespace {

void* resize_guarded(Heap* heap, void* memory, std::size_t bytes) {
  const bool known = is_guarded(heap) && heap->bytes_of_block(memory) != 0;
  const std::size_t asked = known ? unguard(memory) : 0;
  void* const resized = heap->resize(memory, bytes);
  if (resized != nullptr) return guarded(heap, resized, bytes);
  if (known && heap->fault() == HeapFault::None) guard(memory, asked);
  return nullptr;
}

}  // namespace

void* heap_resize(void* memory, std::size_t bytes) {
  Heap* heap = owner_of(memory);
  if (is_limited() && exceeds_limit(bytes - std::min(bytes, heap->bytes_of_block(memory)))) return nullptr;
  const std::size_t before = monitored() ? heap->usable_bytes(memory) : 0;
  if (lock(heap)) {
    void* const resized = resize_guarded(heap, memory, bytes);
    unlock(heap);
    if (heap->fault() != HeapFault::None) report(heap->fault(), "realloc", memory);
    if (resized == memory) {
      if (execution_places.are_named && heap == process_heaps.program) name_block(memory, bytes, true);
      if (execution_history.notes_blocks) note_block(memory, bytes);
      if (monitored()) monitor_allocated(resized, heap->usable_bytes(resized));  // as freed it was told
      return resized;
    }
    if (resized != nullptr && execution_history.notes_blocks) note_free(memory);
    if (resized == nullptr && monitored()) monitor_allocated(memory, before);  // it stays
    if (resized != nullptr || heap == process_heaps.program) return begin_life(resized, bytes, true);
  }
  const std::size_t present = heap->usable_bytes(memory);
  void* moved = heap_allocate(bytes);
  if (moved == nullptr) return nullptr;
  memcpy(moved, memory, present < bytes ? present : bytes);
  heap_release(memory);
  return moved;
}

std::size_t heap_usable_bytes(void* memory) {
  Heap* heap = owner_of(memory);
  const std::size_t bytes = heap->usable_bytes(memory);
  if (heap->fault() != HeapFault::None) report(heap->fault(), "malloc_usable_size", memory);
  return bytes;
}

std::size_t heap_give_all(void* memory) {
  Heap* heap = owner_of(memory);
  const std::size_t bytes = heap_usable_bytes(memory);
  if (!is_guarded(heap) || !lock(heap)) return bytes;
  unguard(memory);  // if it was overrun, it stays guarded, and that is found later
  unlock(heap);
  return bytes;
}

void check_program_heap() {
  Heap* heap = process_heaps.program;
  if (heap == nullptr || !is_guarded(heap) || heap->fault() != HeapFault::None || !lock(heap)) return;
  const OverrunBlock found = find_overrun(*heap);
  unlock(heap);
  if (found.fault != HeapFault::None) report(found.fault, "exit", found.memory);
}

void limit_program_heap(std::size_t most) { execution_heap_limit.most = most; }

HeapUse heap_use() { return process_heaps.program != nullptr ? process_heaps.program->use() : HeapUse{}; }

}  // namespace heddle::runtime
