// See thread_pointer.h.
#include "runtime/state/thread_pointer.h"

#include <errno.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <x86intrin.h>

#include "runtime/os/signal_action.h"
#include "runtime/os/system_call.h"
#include "runtime/os/wait_process.h"
#include "runtime/state/stacks.h"

namespace heddle::runtime {

HEDDLE_PERMANENT constinit PermanentThreadPointers permanent_thread_pointers{};

namespace {

constexpr unsigned long kFsgsbase = 1 << 1;  // HWCAP2_FSGSBASE
// What the kernel knows while they are restored: storage lies below the thread pointer, and some 2 KB above. Behind the
// runtime's own region, where nothing else of it will come to lie.
constexpr std::uint64_t kNowhereBegin = os::kOwnRegionEnd, kNowhereBytes = std::uint64_t{1} << 30;
constexpr std::uint64_t kNowhere = kNowhereBegin + kNowhereBytes - (1 << 16);

// Faults that follow each other as fast as they can, at one instruction: what was loaded does not stay at all.
struct Consecutive {
  Site instruction;
  std::uint32_t count;
  std::uint64_t at;  // time stamp counter
};

struct PermanentLosses {
  bool instruction_works = false;
  std::uint32_t chances_to_lose = 0;
  Consecutive consecutive = {0, 0, 0};
};
HEDDLE_PERMANENT constinit PermanentLosses permanent_losses{};

std::uint64_t present() {
  std::uint64_t pointer;
  __asm__ volatile("rdfsbase %0" : "=r"(pointer));
  return pointer;
}

bool kernel_keeps() {
  return config.thread_pointers == ThreadPointerChoice::Auto && (getauxval(AT_HWCAP2) & kFsgsbase) != 0;
}

// Does what was loaded mostly outlive a system call?
bool stays() {
  constexpr unsigned kTries = 64;
  const std::uint64_t own = thread_pointer();
  unsigned stayed = 0;
  for (unsigned i = 0; i < kTries; ++i) {
    load_by_instruction(kNowhere);
    os::process_id();
    stayed += present() == kNowhere ? 1 : 0;
  }
  load_by_instruction(own);
  return stayed > kTries / 2;
}

// In a process of its own, which dies of it where the processor refuses the instruction.
bool works() {
  const auto child = static_cast<int>(os::system_call(SYS_clone));
  if (child < 0) return false;
  if (child == 0) {
    os::set_default_action(SIGILL);
    os::replace_signal_mask(0);
    os::exit_process(stays() ? 0 : 1);
  }
  int status = 0;
  return os::wait_process(child, status) && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

bool make_nowhere() {
  return os::system_call(SYS_mmap, kNowhereBegin, kNowhereBytes, PROT_NONE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1,
                         0) == static_cast<long>(kNowhereBegin);
}

bool stays_away(Site instruction) {
  constexpr std::uint32_t kMax = 1000;
  constexpr std::uint64_t kAtOnce = 1 << 20;  // ticks: longer than a fault takes
  const std::uint64_t now = __rdtsc();
  const bool follows =
      permanent_losses.consecutive.instruction == instruction && now - permanent_losses.consecutive.at < kAtOnce;
  permanent_losses.consecutive = {instruction, follows ? permanent_losses.consecutive.count + 1 : 0, now};
  return permanent_losses.consecutive.count == kMax;
}

}  // namespace

void tell_thread_pointer(std::uint64_t pointer) {
  os::system_call(SYS_arch_prctl, 0x1002 /* ARCH_SET_FS */, static_cast<long>(pointer));
}

void lose_thread_pointer() {
  constexpr std::uint32_t kEvery = 61;
  if (config.thread_pointers == ThreadPointerChoice::Lost && ++permanent_losses.chances_to_lose % kEvery == 0)
    load_by_instruction(kNowhere);
}

void choose_thread_pointers() {
  permanent_thread_pointers.how = kernel_keeps() ? ThreadPointers::Kept : ThreadPointers::ByCall;
}

void try_thread_pointer_instruction() {
  if (permanent_thread_pointers.how != ThreadPointers::ByCall) return;
  permanent_losses.instruction_works = config.thread_pointers != ThreadPointerChoice::Call && works() && make_nowhere();
  if (!permanent_losses.instruction_works) runtime.shared->status.switches_by_call.store(1);
}

void begin_restoring_thread_pointers() {
  if (!permanent_losses.instruction_works) return;
  tell_thread_pointer(kNowhere);
  permanent_thread_pointers.how = ThreadPointers::Restored;
  load_by_instruction(runtime.tasks[runtime.current].thread_pointer);
}

void leave_thread_pointers_to_kernel() {
  if (permanent_thread_pointers.how != ThreadPointers::Restored) return;
  permanent_thread_pointers.how = ThreadPointers::ByCall;
  tell_thread_pointer(runtime.tasks[runtime.current].thread_pointer);
}

bool put_thread_pointer_back(const siginfo_t& info, Site instruction) {
  if (permanent_thread_pointers.how != ThreadPointers::Restored || present() != kNowhere) return false;
  load_by_instruction(runtime.tasks[runtime.current].thread_pointer);
  auto& all = runtime.shared->status.thread_pointer_faults;  // only this process writes it
  all.store(all.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  if (stays_away(instruction)) leave_thread_pointers_to_kernel();
  return info.si_code > 0;  // what somebody has sent is not to be lost
}

}  // namespace heddle::runtime
