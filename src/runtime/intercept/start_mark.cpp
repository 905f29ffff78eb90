// See start_mark.h. The first byte of the function becomes an int3. The handler of SIGTRAP puts the byte back and sends
// the interrupted code to a trampoline outside the handler. The trampoline saves the registers that a function may use
// at its entry, begins branching, and goes on to the function.
#include "runtime/intercept/start_mark.h"

#include <link.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

#include "protocol/page.h"
#include "runtime/os/real.h"
#include "runtime/os/system_call.h"
#include "runtime/state/loaded_files.h"
#include "runtime/state/runtime.h"
#include "runtime/state/up_calls.h"

__asm__(
    ".text\n"
    ".globl heddle_start_trampoline\n.hidden heddle_start_trampoline\n.type heddle_start_trampoline,@function\n"
    "heddle_start_trampoline:\n"  // entered with the function's address pushed
    "  push %rax\n  push %rcx\n  push %rdx\n  push %rsi\n  push %rdi\n  push %r8\n  push %r9\n  push %r10\n  push "
    "%r11\n"
    "  push %rbp\n  mov %rsp, %rbp\n  sub $128, %rsp\n  and $-64, %rsp\n"
    "  movups %xmm0, (%rsp)\n  movups %xmm1, 16(%rsp)\n  movups %xmm2, 32(%rsp)\n  movups %xmm3, 48(%rsp)\n"
    "  movups %xmm4, 64(%rsp)\n  movups %xmm5, 80(%rsp)\n  movups %xmm6, 96(%rsp)\n  movups %xmm7, 112(%rsp)\n"
    "  call heddle_start_reached\n"
    "  movups (%rsp), %xmm0\n  movups 16(%rsp), %xmm1\n  movups 32(%rsp), %xmm2\n  movups 48(%rsp), %xmm3\n"
    "  movups 64(%rsp), %xmm4\n  movups 80(%rsp), %xmm5\n  movups 96(%rsp), %xmm6\n  movups 112(%rsp), %xmm7\n"
    "  mov %rbp, %rsp\n  pop %rbp\n"
    "  pop %r11\n  pop %r10\n  pop %r9\n  pop %r8\n  pop %rdi\n  pop %rsi\n  pop %rdx\n  pop %rcx\n  pop %rax\n"
    "  ret\n"
    ".size heddle_start_trampoline, .-heddle_start_trampoline\n");
extern "C" __attribute__((visibility("hidden"))) void heddle_start_trampoline();
extern "C" __attribute__((used, visibility("hidden"))) void heddle_start_reached() {
  if (heddle::runtime::runtime.mode == heddle::runtime::Mode::Alone) heddle::runtime::begin_branching();
}

namespace heddle::runtime {
namespace {

constexpr std::uint8_t kBreakpoint = 0xcc;
constexpr std::uintptr_t kPage = kPageBytes;

struct ProcessStartMark {
  std::uint8_t* function = nullptr;
  std::uint8_t first_byte = 0;
};
constinit ProcessStartMark process_start_mark{};

struct PermanentStartMark {
  struct sigaction previous {};
};
HEDDLE_PERMANENT constinit PermanentStartMark permanent_start_mark{};

void write_code(std::uint8_t value) {
  const auto page = reinterpret_cast<std::uintptr_t>(process_start_mark.function) & ~(kPage - 1);
  os::system_call(SYS_mprotect, static_cast<long>(page), kPage, PROT_READ | PROT_WRITE | PROT_EXEC);
  *process_start_mark.function = value;
  os::system_call(SYS_mprotect, static_cast<long>(page), kPage, PROT_READ | PROT_EXEC);
}

void on_breakpoint(int, siginfo_t*, void* context_) {
  auto& registers = static_cast<ucontext_t*>(context_)->uc_mcontext.gregs;
  if (registers[REG_RIP] != reinterpret_cast<greg_t>(process_start_mark.function) + 1) return;
  write_code(process_start_mark.first_byte);
  real::sigaction(SIGTRAP, &permanent_start_mark.previous, nullptr);
  registers[REG_RSP] -= 8;
  *reinterpret_cast<std::uint64_t*>(registers[REG_RSP]) = reinterpret_cast<std::uint64_t>(process_start_mark.function);
  registers[REG_RIP] = reinterpret_cast<greg_t>(&heddle_start_trampoline);
}

int find_program(dl_phdr_info* info, std::size_t, void* base) {
  *static_cast<std::uint64_t*>(base) = info->dlpi_addr;
  return 1;  // the program itself comes first
}

}  // namespace

bool start_mark_wanted() { return config.start_at_offset != 0; }

void install_start_mark() {
  if (runtime.mode != Mode::Alone || !start_mark_wanted()) return;
  std::uint64_t base = 0;
  for_each_loaded_file(find_program, &base);
  process_start_mark.function = reinterpret_cast<std::uint8_t*>(base + config.start_at_offset);
  struct sigaction action {};
  action.sa_sigaction = on_breakpoint;
  action.sa_flags = SA_SIGINFO;
  real::sigaction(SIGTRAP, &action, &permanent_start_mark.previous);
  process_start_mark.first_byte = *process_start_mark.function;
  write_code(kBreakpoint);
}

}  // namespace heddle::runtime
