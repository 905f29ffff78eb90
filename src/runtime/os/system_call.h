// Raw system calls. The runtime itself enters the kernel only here: libc's wrappers may be interposed by us or by
// others, set errno, and are cancellation points. All return what the kernel returns (-errno on failure).
#pragma once

#include <linux/futex.h>
#include <sys/syscall.h>

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace heddle::os {

inline long system_call(long number, long a = 0, long b = 0, long c = 0, long d = 0, long e = 0, long f = 0) {
  long result;
  register long r10 __asm__("r10") = d;
  register long r8 __asm__("r8") = e;
  register long r9 __asm__("r9") = f;
  __asm__ volatile("syscall"
                   : "=a"(result)
                   : "0"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
                   : "rcx", "r11", "memory");
  return result;
}

inline long futex_wait(const void* word, std::uint32_t expected, bool shared, const void* timeout = nullptr) {
  return system_call(SYS_futex, reinterpret_cast<long>(word), shared ? FUTEX_WAIT : FUTEX_WAIT_PRIVATE, expected,
                     reinterpret_cast<long>(timeout));
}

inline long futex_wake(const void* word, int count, bool shared) {
  return system_call(SYS_futex, reinterpret_cast<long>(word), shared ? FUTEX_WAKE : FUTEX_WAKE_PRIVATE, count);
}

inline int process_id() { return static_cast<int>(system_call(SYS_getpid)); }

// All that the runtime reserves lies one behind the other from here on: the kernel places the program's mappings at the
// same addresses whether we have reserved much or little. In the part of the address space where libraries are: a part
// of its own would cost every fork() more page tables.
inline constexpr std::uintptr_t kOwnRegion = 0x7fb000000000, kOwnRegionEnd = 0x7fd000000000;

// Address space, zeroed, private, committed only as it is touched. Null when there is none.
void* reserve(std::size_t bytes);
// As reserve(), for what there is no going on without: says so and ends the process.
void* reserve_or_die(std::size_t bytes);
// Pieces of one region, one behind the other: the heads of tables that are used together share pages, and every page
// that an execution touches costs a page fault after fork(). Aligned to 64.
void* allocate(std::size_t bytes);
struct Pieces {
  char* begin;
  char* end;  // one past the last piece
};
Pieces allocated();  // what allocate() has given out
// Does the address lie where reserve() puts its memory (and so allocate())?
bool is_reserved(std::uintptr_t address);
// Is any of [begin, end)?
bool reserved_overlaps(std::uintptr_t begin, std::uintptr_t end);

void block_all_signals();                               // for the calling kernel thread
std::uint64_t replace_signal_mask(std::uint64_t mask);  // gives the old one

// Makes present and writable what an execution is about to write anyway: one call instead of a page fault each.
void populate(const void* begin, std::size_t bytes);
void populate_allocated();  // what allocate() has given out

// The kernel writes into the registered area of a thread at its own moments; with fibers that area is the wrong one,
// and a page of every execution is copied for it. Its thread storage is that of `thread_pointer`. glibc falls back to
// asking the kernel.
void unregister_restartable_sequences(std::uint64_t thread_pointer);

[[noreturn]] void exit_process(int status);

// Nanoseconds of a kernel clock, read from the kernel itself.
std::int64_t kernel_clock(int clock);

// Writes a line to the standard error output, for the few cases in which there is no driver to tell.
void complain(const char* text);

// Before the kernel ends the process by a signal. No core file is left, whatever the program has asked for: each
// schedule that crashes would leave one, of all that Heddle has reserved.
void leave_no_core();

}  // namespace heddle::os
