// See user_memory.h. rt_sigprocmask looks at eight bytes and does nothing else, if it is asked for nothing.
#include "runtime/user_memory.h"

#include <errno.h>
#include <sys/syscall.h>

#include <cstdint>

#include "runtime/isolation/snapshot.h"
#include "runtime/os/system_call.h"

namespace heddle::runtime {
namespace {

constexpr std::size_t kProbe = 8;
constexpr long kNoSuchWay = 77;

// What is on one page can be read as a whole or not at all.
bool on_one_page(std::uintptr_t address, std::size_t bytes) {
  constexpr std::uintptr_t kPage = 4096;
  return address / kPage == (address + bytes - 1) / kPage;
}

// Null stands for "nothing" there, and is no memory.
bool reads(std::uintptr_t address) {
  return address != 0 &&
         os::system_call(SYS_rt_sigprocmask, kNoSuchWay, static_cast<long>(address), 0, kProbe) != -EFAULT;
}

bool writes(std::uintptr_t address) {
  return address != 0 && os::system_call(SYS_rt_sigprocmask, 0, 0, static_cast<long>(address), kProbe) != -EFAULT;
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
  return address != 0 && reads(address + bytes - kProbe) && (on_one_page(address, bytes) || reads(address));
}

bool can_write(void* object, std::size_t bytes) {
  const std::uintptr_t address = address_of(object);
  before_kernel_writes(address, bytes);
  return writes(address) && (bytes <= kProbe || writes(address + bytes - kProbe));
}

}  // namespace heddle::runtime
