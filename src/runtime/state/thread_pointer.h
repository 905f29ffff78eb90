// The thread pointer (FS base) under the fiber carrier: thread-local storage hangs on it, and each switch of tasks
// changes it.
//
// Where the kernel enables FSGSBASE (Linux 5.9), an instruction changes it, and the kernel keeps the loaded value.
// Where a hypervisor hides FSGSBASE from the kernel, a system call has to change it, which may take a hundred times as
// long as all the rest of a switch. Some hypervisors leave the instruction working all the same. Then the value holds
// until the kernel gives the processor to another thread: when ours comes back, it has the value that the kernel knows.
//
// On a snapshot, where we see all faults, that does no harm. We set the kernel's value to an address around which
// nothing can be accessed. The first access to thread-local storage after such a loss faults, before it has read or
// written anything, and the handler loads the task's own value. The runtime itself has no thread-local storage. Only
// code that asks for the value by `rdfsbase` would notice.
#pragma once

#include <signal.h>

#include <cstdint>

#include "runtime/state/runtime.h"

namespace heddle::runtime {

enum class ThreadPointers : std::uint8_t {
  ByCall,    // loaded by arch_prctl()
  Kept,      // by wrfsbase, and the kernel keeps them
  Restored,  // by wrfsbase, of which the kernel knows nothing, and again at a fault
};
struct PermanentThreadPointers {
  ThreadPointers how = ThreadPointers::ByCall;
};
extern PermanentThreadPointers permanent_thread_pointers;

// Once, at the start: Kept, or else ByCall.
void choose_thread_pointers();
// In the zygote, before it makes processes that run on snapshots: would the instruction work? (It is tried out.)
void try_thread_pointer_instruction();
// In such a process, which sees faults: from here on they are restored, if that is better.
void begin_restoring_thread_pointers();
// From here on the kernel has to know them: faults are not seen any more, or there will be a copy of this process.
void leave_thread_pointers_to_kernel();
// In the handler of a fault at `instruction`. True: it may have come of such a loss, so the instruction is to be run
// again.
bool put_thread_pointer_back(const siginfo_t& info, Site instruction);

void tell_thread_pointer(std::uint64_t pointer);  // loads it by a system call
inline void load_by_instruction(std::uint64_t pointer) { __asm__ volatile("wrfsbase %0" : : "r"(pointer) : "memory"); }
inline void load_thread_pointer(std::uint64_t pointer) {
  if (__builtin_expect(permanent_thread_pointers.how != ThreadPointers::ByCall, 1))
    load_by_instruction(pointer);
  else
    tell_thread_pointer(pointer);
}

// ThreadPointerChoice::Lost: now and then, as the kernel would.
void lose_thread_pointer();
inline void lose_thread_pointer_for_test() {
  if (__builtin_expect(permanent_thread_pointers.how == ThreadPointers::Restored, 0)) lose_thread_pointer();
}

}  // namespace heddle::runtime
