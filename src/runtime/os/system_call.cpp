// See system_call.h.
#include "runtime/os/system_call.h"

#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/rseq.h>
#include <time.h>

#include <cstring>

#include "protocol/page.h"
#include "runtime/os/permanent.h"

namespace heddle::os {

namespace {

// What was reserved. Not all that lies there is: where addresses are random, libraries may, too.
struct Range {
  std::uintptr_t begin, end;
};
constexpr unsigned kMostRanges = 256;
struct PermanentMemory {  // what an execution reserves stays
  Range reserved[kMostRanges] = {};
  unsigned reserved_count = 0;
};
HEDDLE_PERMANENT constinit PermanentMemory permanent_memory{};

constexpr std::size_t kPage = kPageBytes;
constexpr std::size_t kAllocateRegion = std::size_t{16} << 30;
constexpr std::size_t kSmallAllocateRegion = std::size_t{256} << 20;  // where address space is limited
struct ExecutionMemory {
  std::uintptr_t next_reserved = kOwnRegion;
  Pieces pieces{nullptr, nullptr};
  char* pieces_end = nullptr;
};
constinit ExecutionMemory execution_memory{};

long map(std::uintptr_t address, std::size_t bytes, long flags) {
  return system_call(SYS_mmap, static_cast<long>(address), static_cast<long>(bytes), PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | flags, -1, 0);
}

bool failed(long result) { return result < 0 && result > -4096; }

bool note_reserved(std::uintptr_t begin, std::uintptr_t end) {
  if (permanent_memory.reserved_count == kMostRanges) return false;
  permanent_memory.reserved[permanent_memory.reserved_count++] = {begin, end};
  return true;
}

}  // namespace

void* reserve(std::size_t bytes) {
  const std::size_t size = (bytes + kPage - 1) & ~(kPage - 1);
  long address = -1;
  if (execution_memory.next_reserved + size + kPage <= kOwnRegionEnd) {
    address = map(execution_memory.next_reserved, size, MAP_FIXED_NOREPLACE);
    execution_memory.next_reserved += size + kPage;  // a page between two reservations stays unmapped
  }
  if (failed(address)) address = map(0, size, 0);
  if (failed(address)) return nullptr;
  const auto begin = static_cast<std::uintptr_t>(address);
  if (!note_reserved(begin, begin + size)) return nullptr;
  // After fork() a huge page would be split, or copied, at the first write.
  system_call(SYS_madvise, address, static_cast<long>(size), MADV_NOHUGEPAGE);
  return reinterpret_cast<void*>(address);
}

bool is_reserved(std::uintptr_t address) { return reserved_overlaps(address, address + 1); }

bool reserved_overlaps(std::uintptr_t begin, std::uintptr_t end) {
  for (unsigned i = 0; i < permanent_memory.reserved_count; ++i)
    if (begin < permanent_memory.reserved[i].end && end > permanent_memory.reserved[i].begin) return true;
  return false;
}

void* reserve_or_die(std::size_t bytes) {
  void* memory = reserve(bytes);
  if (memory != nullptr) return memory;
  complain("heddle: no address space left for the model of the program (is there a limit, `ulimit -v` or `-d`?)\n");
  exit_process(127);
}

void* allocate(std::size_t bytes) {
  constexpr std::size_t kAlignment = 64;
  bytes = (bytes + kAlignment - 1) / kAlignment * kAlignment;
  if (execution_memory.pieces.begin == nullptr) {
    std::size_t size = kAllocateRegion;
    execution_memory.pieces.begin = static_cast<char*>(reserve(size));
    if (execution_memory.pieces.begin == nullptr)
      execution_memory.pieces.begin = static_cast<char*>(reserve_or_die(size = kSmallAllocateRegion));
    execution_memory.pieces.end = execution_memory.pieces.begin;
    execution_memory.pieces_end = execution_memory.pieces.begin + size;
  }
  if (static_cast<std::size_t>(execution_memory.pieces_end - execution_memory.pieces.end) < bytes) {
    complain("heddle: the model of the program has outgrown the memory set aside for it\n");
    exit_process(127);
  }
  char* piece = execution_memory.pieces.end;
  execution_memory.pieces.end += bytes;
  return piece;
}

Pieces allocated() { return execution_memory.pieces; }

std::uint64_t replace_signal_mask(std::uint64_t mask) {
  std::uint64_t old = 0;
  system_call(SYS_rt_sigprocmask, SIG_SETMASK, reinterpret_cast<long>(&mask), reinterpret_cast<long>(&old),
              sizeof mask);
  return old;
}

void block_all_signals() { replace_signal_mask(~std::uint64_t{0}); }

void populate(const void* begin, std::size_t bytes) {
  const auto first = reinterpret_cast<std::uintptr_t>(begin) & ~(kPage - 1);
  const std::size_t size = (reinterpret_cast<std::uintptr_t>(begin) + bytes - first + kPage - 1) & ~(kPage - 1);
  system_call(SYS_madvise, static_cast<long>(first), static_cast<long>(size), MADV_POPULATE_WRITE);  // only for speed
}

void populate_allocated() {
  constexpr std::ptrdiff_t kMax = std::ptrdiff_t{64} * 1024;  // beyond that, not all of it is going to be written
  const std::ptrdiff_t size = execution_memory.pieces.end - execution_memory.pieces.begin;
  if (size > 0) populate(execution_memory.pieces.begin, static_cast<std::size_t>(size < kMax ? size : kMax));
}

void unregister_restartable_sequences(std::uint64_t thread_pointer) {
  constexpr long kUnregister = 1;
  constexpr long kSignature = 0x53053053;
  if (__rseq_size == 0) return;
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

void leave_no_core() {
  rlimit limit{};
  system_call(SYS_prlimit64, 0, RLIMIT_CORE, 0, reinterpret_cast<long>(&limit));
  limit.rlim_cur = 0;
  system_call(SYS_prlimit64, 0, RLIMIT_CORE, reinterpret_cast<long>(&limit), 0);
}

}  // namespace heddle::os
