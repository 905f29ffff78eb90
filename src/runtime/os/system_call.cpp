// See system_call.h.
#include "runtime/os/system_call.h"

#include <signal.h>
#include <sys/mman.h>
#include <sys/rseq.h>
#include <time.h>

#include <cstring>

namespace heddle::os {

namespace {

char* allocated_begin = nullptr;  // of the pieces given out by allocate()
char* allocated_end = nullptr;

}  // namespace

void* reserve(std::size_t bytes) {
  const long address = system_call(SYS_mmap, 0, static_cast<long>(bytes), PROT_READ | PROT_WRITE,
                                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (address < 0 && address > -4096) return nullptr;
  // After fork() a huge page would be split, or copied, at the first write.
  system_call(SYS_madvise, address, static_cast<long>(bytes), MADV_NOHUGEPAGE);
  return reinterpret_cast<void*>(address);
}

void* reserve_or_die(std::size_t bytes) {
  void* memory = reserve(bytes);
  if (memory != nullptr) return memory;
  complain("heddle: no address space left for the model of the program (is there a limit, `ulimit -v`?)\n");
  exit_process(127);
}

void* allocate(std::size_t bytes) {
  constexpr std::size_t kRegion = std::size_t{256} << 20;
  constexpr std::size_t kAlignment = 64;
  static char* next = nullptr;
  static char* end = nullptr;
  bytes = (bytes + kAlignment - 1) / kAlignment * kAlignment;
  if (next == nullptr || static_cast<std::size_t>(end - next) < bytes) {
    next = static_cast<char*>(reserve_or_die(kRegion + bytes));
    end = next + kRegion + bytes;
    allocated_begin = next;
  }
  char* piece = next;
  next += bytes;
  allocated_end = next;
  return piece;
}

std::uint64_t replace_signal_mask(std::uint64_t mask) {
  std::uint64_t old = 0;
  system_call(SYS_rt_sigprocmask, SIG_SETMASK, reinterpret_cast<long>(&mask), reinterpret_cast<long>(&old),
              sizeof mask);
  return old;
}

void block_all_signals() { replace_signal_mask(~std::uint64_t{0}); }

void populate(const void* begin, std::size_t bytes) {
  constexpr std::uintptr_t kPage = 4096;
  const auto first = reinterpret_cast<std::uintptr_t>(begin) & ~(kPage - 1);
  const std::size_t size = (reinterpret_cast<std::uintptr_t>(begin) + bytes - first + kPage - 1) & ~(kPage - 1);
  system_call(SYS_madvise, static_cast<long>(first), static_cast<long>(size), MADV_POPULATE_WRITE);  // only for speed
}

void populate_allocated() {
  constexpr std::ptrdiff_t kMost = std::ptrdiff_t{64} * 1024;  // beyond that, not all of it is going to be written
  const std::ptrdiff_t size = allocated_end - allocated_begin;
  if (size > 0) populate(allocated_begin, static_cast<std::size_t>(size < kMost ? size : kMost));
}

void unregister_restartable_sequences() {
  constexpr long kUnregister = 1;
  constexpr long kSignature = 0x53053053;
  if (__rseq_size == 0) return;
  std::uint64_t thread_pointer;
  __asm__("mov %%fs:0, %0" : "=r"(thread_pointer));
  system_call(SYS_rseq, static_cast<long>(thread_pointer) + __rseq_offset, 32, kUnregister, kSignature);
}

void exit_process(int status) {
  for (;;) system_call(SYS_exit_group, status);
}

std::int64_t kernel_clock(int clock) {
  timespec time{};
  system_call(SYS_clock_gettime, clock, reinterpret_cast<long>(&time));
  return time.tv_sec * 1'000'000'000 + time.tv_nsec;
}

void complain(const char* text) {
  system_call(SYS_write, 2, reinterpret_cast<long>(text), static_cast<long>(std::strlen(text)));
}

}  // namespace heddle::os
