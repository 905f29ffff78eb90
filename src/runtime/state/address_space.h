// Where the runtime's own regions lie, the same in every process, so that executions agree on addresses: the stacks of
// tasks (carrier/stack_attributes.cpp), and right above them the heap (heap/program_heap.cpp). Both lie in the part of
// the address space where libraries are: each further part would cost every fork() up to three more page tables.
#pragma once

#include <cstddef>
#include <cstdint>

namespace heddle::runtime {

// Not at the begin of a GB: so the last of the stacks can share page tables with the heap, which every fork() copies.
inline constexpr std::uintptr_t kStacksTop = 0x7ff020100000;
inline constexpr std::size_t kStacksBytes = std::size_t{1} << 36;  // of the usual size; as much for larger ones
// Libraries keep the 7 GB up to the end of their part.
inline constexpr std::uintptr_t kHeapRegion = kStacksTop;
inline constexpr std::size_t kHeapRegionBytes = std::size_t{56} << 30;

// Does the address lie where the stacks of tasks are?
inline bool is_task_stack(std::uintptr_t address) {
  return address < kStacksTop && address >= kStacksTop - 2 * kStacksBytes;
}

struct ProcessHeap {
  char* region = nullptr;    // where it has come to lie: elsewhere if its place was taken; null: it serves nothing yet
  bool is_bypassed = false;  // new blocks are to come from real:: instead
};
extern ProcessHeap process_heap;

// Does the memory belong to the heap, given out or not?
inline bool in_heap(const void* memory) {
  const auto offset = static_cast<std::size_t>(static_cast<const char*>(memory) - process_heap.region);
  return process_heap.region != nullptr && offset < kHeapRegionBytes;
}

}  // namespace heddle::runtime
