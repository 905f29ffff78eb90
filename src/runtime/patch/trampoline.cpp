// See trampoline.h.
//
// The `syscall` instruction changes rax, rcx and r11 only. The code around it (inlined in libc, or assembly) relies on
// that: it may keep values in every other register, vector registers and flags included, and in the red zone below its
// stack pointer. So the trampoline saves all of that, since perform_system_call() runs other tasks.
#include "runtime/patch/trampoline.h"

#include <cpuid.h>

#include "runtime/patch/vector_registers.h"
#include "runtime/state/up_calls.h"

namespace {

enum VectorMethod : unsigned { kFxsave, kXsave, kXsavec };

}  // namespace

extern "C" {
// Read by the assembly below; set once.
__attribute__((used, visibility("hidden"))) unsigned heddle_vector_method = kFxsave;
__attribute__((used, visibility("hidden"))) unsigned heddle_vector_bytes = 512;
__attribute__((used, visibility("hidden"))) unsigned heddle_vector_parts = ~0u;  // low half of the mask
__attribute__((used, visibility("hidden"))) greg_t heddle_uncaught_return = 0;
__attribute__((visibility("hidden"))) void heddle_system_call_entry();
__attribute__((visibility("hidden"))) void heddle_uncaught_call();
}

// heddle_system_call_entry: rcx is where to go on, r11 the flags, the rest as the program had it; rax is the number.
// What is pushed is struct CaughtCall below. Unwinding goes on in the program's frame, as from a function called there.
__asm__(
    ".text\n"
    ".globl heddle_system_call_entry\n.hidden heddle_system_call_entry\n"
    ".type heddle_system_call_entry,@function\n"
    "heddle_system_call_entry:\n"
    "  .cfi_startproc\n  .cfi_def_cfa %rsp, 0\n  .cfi_register %rip, %rcx\n"
    "  lea -128(%rsp), %rsp\n  .cfi_def_cfa_offset 128\n"
    "  push %rcx\n  .cfi_def_cfa_offset 136\n  .cfi_offset %rip, -136\n"
    "  push %rbp\n  .cfi_def_cfa_offset 144\n  .cfi_offset %rbp, -144\n"
    "  mov %rsp, %rbp\n  .cfi_def_cfa_register %rbp\n"
    "  push %r11\n  push %r9\n  push %r8\n  push %r10\n"
    "  push %rdx\n  push %rsi\n  push %rdi\n  push %rax\n" HEDDLE_SAVE_VECTORS
    "  cld\n  lea -64(%rbp), %rdi\n  call heddle_on_caught_call\n"
    "  mov %rax, -64(%rbp)\n" HEDDLE_RESTORE_VECTORS
    "  lea -64(%rbp), %rsp\n"
    "  pop %rax\n  pop %rdi\n  pop %rsi\n  pop %rdx\n  pop %r10\n  pop %r8\n  pop %r9\n"
    "  popfq\n"
    "  .cfi_remember_state\n"
    "  pop %rbp\n  .cfi_restore %rbp\n  .cfi_def_cfa %rsp, 136\n"
    "  pop %rcx\n  .cfi_def_cfa_offset 128\n  .cfi_register %rip, %rcx\n"
    "  lea 128(%rsp), %rsp\n  .cfi_def_cfa_offset 0\n"
    "  jmp *%rcx\n"
    "  .cfi_restore_state\n"
    "  .cfi_endproc\n"
    ".size heddle_system_call_entry, .-heddle_system_call_entry\n"
    // A new process has no stack of its own making here, perhaps another one, and all registers: where to go on can be
    // in memory only. One task runs at a time, and who shares our memory and runs beside us is not controlled.
    ".globl heddle_uncaught_call\n.hidden heddle_uncaught_call\n.type heddle_uncaught_call,@function\n"
    "heddle_uncaught_call:\n"
    "  syscall\n"
    "  jmp *heddle_uncaught_return(%rip)\n"
    ".size heddle_uncaught_call, .-heddle_uncaught_call\n");

namespace heddle::runtime {
namespace {

constexpr unsigned kStateLeaf = 0xd;              // of cpuid: the processor's extended state
constexpr unsigned kTiles = 1u << 17 | 1u << 18;  // AMX: 8 KB that nobody keeps over a system call
constexpr unsigned kHasXsavec = 1u << 1;
constexpr unsigned kSystemUsesXsave = 1u << 27;  // OSXSAVE

struct CaughtCall {
  SystemCall call;
  long flags;
  long frame_pointer;
  Site return_address;
};

}  // namespace

void prepare_trampoline() {
  unsigned a = 0, b = 0, c = 0, d = 0;
  if (__get_cpuid(1, &a, &b, &c, &d) == 0 || (c & kSystemUsesXsave) == 0) return;
  if (__get_cpuid_count(kStateLeaf, 0, &a, &b, &c, &d) == 0) return;
  heddle_vector_method = kXsave;
  heddle_vector_parts = a & ~kTiles;
  heddle_vector_bytes = b;  // for all that the system has switched on; the tiles lie at its end
  if (__get_cpuid_count(kStateLeaf, 1, &a, &b, &c, &d) != 0 && (a & kHasXsavec) != 0) heddle_vector_method = kXsavec;
}

void send_to_operation(greg_t* registers) {
  registers[REG_RCX] = registers[REG_RIP];
  registers[REG_R11] = registers[REG_EFL];
  registers[REG_RIP] = reinterpret_cast<greg_t>(&heddle_system_call_entry);
}

void send_to_uncaught_call(greg_t* registers) {
  heddle_uncaught_return = registers[REG_RIP];
  registers[REG_RIP] = reinterpret_cast<greg_t>(&heddle_uncaught_call);
}

}  // namespace heddle::runtime

extern "C" __attribute__((used, noinline, visibility("hidden"))) long heddle_on_caught_call(
    const heddle::runtime::CaughtCall* caught) {
  return heddle::runtime::perform_system_call(caught->call, caught->return_address);
}
