// See user_memory.h. rt_sigprocmask, asked for no change, only accesses the eight bytes.
#include "runtime/snapshot/user_memory.h"

#include <errno.h>
#include <sys/syscall.h>
#include <sys/uio.h>

#include <cstdint>

#include "protocol/page.h"
#include "runtime/os/system_call.h"
#include "runtime/snapshot/snapshot.h"

namespace heddle::runtime {
namespace {

constexpr std::size_t kProbe = 8;
constexpr long kNoSuchWay = 77;

bool on_one_page(std::uintptr_t address, std::size_t bytes) {
  constexpr std::uintptr_t kPage = kPageBytes;
  return address / kPage == (address + bytes - 1) / kPage;
}

// A word lies on one page: it can be read as a whole or not at all.
std::uintptr_t word_at(std::uintptr_t address) { return address & ~std::uintptr_t{kProbe - 1}; }

// Null stands for "nothing" there, and is no memory.
bool reads(std::uintptr_t address) {
  return address >= kProbe &&
         os::system_call(SYS_rt_sigprocmask, kNoSuchWay, static_cast<long>(word_at(address)), 0, kProbe) != -EFAULT;
}

// What is there in the word is there again afterwards.
bool writes(std::uintptr_t address) {
  if (!reads(address)) return false;
  auto* const word = reinterpret_cast<std::uint64_t*>(word_at(address));
  const std::uint64_t before = *word;
  if (os::system_call(SYS_rt_sigprocmask, 0, 0, reinterpret_cast<long>(word), kProbe) == -EFAULT) return false;
  *word = before;
  return true;
}

// libc's headers say of many pointers that they are never null: the compiler is not to believe it here.
std::uintptr_t address_of(const void* object) {
  auto address = reinterpret_cast<std::uintptr_t>(object);
  __asm__ volatile("" : "+r"(address));
  return address;
}

}  // namespace

bool can_read(const void* object, std::size_t bytes) {
  const std::uintptr_t address = address_of(object);
  return reads(address) && (on_one_page(address, bytes) || reads(address + bytes - 1));
}

bool can_write(void* object, std::size_t bytes) {
  const std::uintptr_t address = address_of(object);
  before_kernel_writes(address, bytes);
  return writes(address) && (on_one_page(address, bytes) || writes(address + bytes - 1));
}

bool is_readable(long address, std::size_t bytes) {
  if (bytes == 0) return true;
  char ends[2];
  const iovec own{ends, sizeof ends};
  const iovec theirs[] = {{reinterpret_cast<void*>(address), 1},
                          {reinterpret_cast<void*>(address + static_cast<long>(bytes) - 1), 1}};
  const long result = os::system_call(SYS_process_vm_readv, os::process_id(), reinterpret_cast<long>(&own), 1,
                                      reinterpret_cast<long>(theirs), 2, 0);
  return result == sizeof ends || (result < 0 && result != -EFAULT);  // where that call is forbidden: believed
}

}  // namespace heddle::runtime
