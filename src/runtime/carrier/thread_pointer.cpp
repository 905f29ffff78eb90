// See thread_pointer.h.
#include "runtime/carrier/thread_pointer.h"

#include <errno.h>
#include <sys/auxv.h>
#include <sys/wait.h>

#include "runtime/os/signal_action.h"
#include "runtime/os/system_call.h"
#include "runtime/stacks.h"

namespace heddle::runtime {

HEDDLE_PERMANENT ThreadPointers thread_pointers = ThreadPointers::ByCall;

namespace {

constexpr unsigned long kFsgsbase = 1 << 1;  // HWCAP2_FSGSBASE
// What the kernel knows while they are put back. Storage lies below the thread pointer, down to the greatest addresses,
// which are the kernel's, and some 2 KB above, where nothing is mapped (vm.mmap_min_addr).
constexpr std::uint64_t kNowhere = 0x1000;

HEDDLE_PERMANENT bool instruction_works = false;
HEDDLE_PERMANENT std::uint32_t loaded = 0;

void load(std::uint64_t pointer) { __asm__ volatile("wrfsbase %0" : : "r"(pointer) : "memory"); }

std::uint64_t present() {
  std::uint64_t pointer;
  __asm__ volatile("rdfsbase %0" : "=r"(pointer));
  return pointer;
}

void tell_kernel(std::uint64_t pointer) {
  os::system_call(SYS_arch_prctl, 0x1002 /* ARCH_SET_FS */, static_cast<long>(pointer));
}

bool kernel_keeps() {
  return config.thread_pointers == ThreadPointerChoice::Auto && (getauxval(AT_HWCAP2) & kFsgsbase) != 0;
}

// In a process of its own, which dies of it where the processor refuses the instruction.
bool works() {
  const std::uint64_t own = thread_pointer();
  const auto child = static_cast<int>(os::system_call(SYS_clone));
  if (child < 0) return false;
  if (child == 0) {
    os::set_default_action(SIGILL);
    os::replace_signal_mask(0);
    load(own);
    os::exit_process(present() == own ? 0 : 1);
  }
  int status = 0;
  while (os::system_call(SYS_wait4, child, reinterpret_cast<long>(&status), __WALL, 0) == -EINTR) {
  }
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

}  // namespace

void load_thread_pointer_otherwise(std::uint64_t pointer) {
  constexpr std::uint32_t kLostEvery = 61;
  if (thread_pointers == ThreadPointers::ByCall) return tell_kernel(pointer);
  const bool loses = config.thread_pointers == ThreadPointerChoice::Lost && ++loaded % kLostEvery == 0;
  load(loses ? kNowhere : pointer);
}

void choose_thread_pointers() { thread_pointers = kernel_keeps() ? ThreadPointers::Kept : ThreadPointers::ByCall; }

void try_thread_pointer_instruction() {
  if (thread_pointers != ThreadPointers::ByCall) return;
  instruction_works = config.thread_pointers != ThreadPointerChoice::Call && works();
  if (!instruction_works) runtime.shared->status.switches_by_call.store(1);
}

void begin_putting_thread_pointers_back() {
  if (!instruction_works) return;
  tell_kernel(kNowhere);
  thread_pointers = ThreadPointers::PutBack;
  load(runtime.tasks[runtime.current].thread_pointer);
}

void leave_thread_pointers_to_kernel() {
  if (thread_pointers != ThreadPointers::PutBack) return;
  thread_pointers = ThreadPointers::ByCall;
  tell_kernel(runtime.tasks[runtime.current].thread_pointer);
}

bool put_thread_pointer_back(const siginfo_t& info) {
  if (thread_pointers != ThreadPointers::PutBack || present() != kNowhere) return false;
  load(runtime.tasks[runtime.current].thread_pointer);
  auto& all = runtime.shared->status.thread_pointer_faults;  // only this process writes it
  all.store(all.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  return info.si_code > 0;  // what somebody has sent is not to be lost
}

}  // namespace heddle::runtime
