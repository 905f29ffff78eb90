// The heaps of this process. The program's serves its malloc family. A small second one serves what libraries allocate
// on the runtime's behalf (runtime.inside: the C library's thread descriptors, the unwinder), so that the
// program's addresses don't depend on carrier, isolation or recorded call stacks. Both lie in one region at a fixed
// address.
//
// Who serves a call: a block is always freed by the heap that it came from. New blocks come from here until
// settle_heap() has decided, and afterwards if this process is controlled and its malloc is the C library's. An
// allocator that the program brought (its own, a sanitizer's, a preloaded one) stays in charge: then all calls go to
// real::.
#pragma once

#include "runtime/heap/heap.h"
#include "runtime/state/address_space.h"

namespace heddle::runtime {

// Decides who serves, once, when it is known whether this process is controlled.
void settle_heap();
bool heap_serves();
// Before the first code of the program: blocks that start-up code had are as if nobody had had them.
void begin_program_heap();

// For snapshots. Everything from used_end on was never touched and is zero, or must be made so again by whoever undoes
// writes: HeapRange::used_end is read from the heap's control data, which is undone as well.
HeapRange program_heap_range();

// What the interceptors call (intercept/memory.cpp). A misuse is reported under the name `function`, and the process
void* heap_allocate(std::size_t bytes);
void* heap_allocate_zeroed(std::size_t bytes);
void* heap_allocate_aligned(std::size_t alignment, std::size_t bytes);
void* heap_resize(void* memory, std::size_t bytes);
void heap_release(void* memory);
// Of a block of the program's that is in use; else 0.
std::size_t bytes_of_program(const void* memory);
// `caller` is about to give the block back: who watches is told. Comes before heap_release().
void heap_tell_of_free(const void* memory, const void* caller);
std::size_t heap_usable_bytes(void* memory);
// The same, and from now on the program may write to all of it (guards.h).
std::size_t heap_give_all(void* memory);
// The program ends: was a block written past its end? Then that is reported, as free() does.
void check_program_heap();
HeapUse heap_use();
// So much may be in use from now on; what exceeds it gets no memory.
void limit_program_heap(std::size_t most);

}  // namespace heddle::runtime
