// Atomic operations of inline assembly. heddle-gcc-calls.s has the assembler put a call of heddle_inline_atomic()
// before each instruction with a lock prefix, and before each xchg. The call looks at the instruction that it returns
// to: which bytes it will change, and how. That is a scheduling point, as an atomic operation of the language is one.
// The instruction itself follows at once, before any other thread goes on.
//
// An asm statement expects no call. So all registers and flags come back as they were, and heddle-cc has functions made
// without a red zone.
#include <cpuid.h>

#include <cstddef>

#include "instrument/atomic_instruction.h"
#include "instrument/module.h"

using namespace heddle::instrument;

static_assert(offsetof(Module, points) == 16);  // as below

extern "C" {
// Can xsave be used? Where it can't, vector registers have no upper halves, and fxsave saves all.
__attribute__((visibility("hidden"))) unsigned char heddle_has_xsave = 0;
__attribute__((visibility("hidden"), used)) void heddle_inline_atomic_seen(const std::uint64_t* saved);
}

// The frame: xsave's area (2,816 bytes are enough for all but the tiles of AMX), the 16 registers in the order of their
// numbers, flags, return address.
asm(R"(
  .text
  .hidden heddle_inline_atomic
  .globl heddle_inline_atomic
  .type heddle_inline_atomic, @function
heddle_inline_atomic:
  .cfi_startproc
  pushfq
  .cfi_adjust_cfa_offset 8
  cmpq $0, heddle_module+16(%rip)
  jne 1f
  popfq
  .cfi_adjust_cfa_offset -8
  ret
1:
  .cfi_adjust_cfa_offset 8
  pushq %r15
  .cfi_adjust_cfa_offset 8
  .cfi_rel_offset %r15, 0
  pushq %r14
  .cfi_adjust_cfa_offset 8
  .cfi_rel_offset %r14, 0
  pushq %r13
  .cfi_adjust_cfa_offset 8
  .cfi_rel_offset %r13, 0
  pushq %r12
  .cfi_adjust_cfa_offset 8
  .cfi_rel_offset %r12, 0
  pushq %r11
  pushq %r10
  pushq %r9
  pushq %r8
  pushq %rdi
  pushq %rsi
  .cfi_adjust_cfa_offset 48
  pushq %rbp
  .cfi_adjust_cfa_offset 8
  .cfi_rel_offset %rbp, 0
  pushq %rsp
  .cfi_adjust_cfa_offset 8
  pushq %rbx
  .cfi_adjust_cfa_offset 8
  .cfi_rel_offset %rbx, 0
  pushq %rdx
  pushq %rcx
  pushq %rax
  .cfi_adjust_cfa_offset 24
  movq %rsp, %rbx
  .cfi_def_cfa_register %rbx
  cld
  subq $2816, %rsp
  andq $-64, %rsp
  cmpb $0, heddle_has_xsave(%rip)
  je 2f
  xorl %eax, %eax
  leaq 512(%rsp), %rdi
  movl $8, %ecx
  rep stosq
  movl $0xe7, %eax
  xorl %edx, %edx
  xsave64 (%rsp)
  movq %rbx, %rdi
  call heddle_inline_atomic_seen
  movl $0xe7, %eax
  xorl %edx, %edx
  xrstor64 (%rsp)
  jmp 3f
2:
  fxsave64 (%rsp)
  movq %rbx, %rdi
  call heddle_inline_atomic_seen
  fxrstor64 (%rsp)
3:
  movq %rbx, %rsp
  .cfi_def_cfa_register %rsp
  popq %rax
  popq %rcx
  popq %rdx
  popq %rbx
  .cfi_adjust_cfa_offset -32
  .cfi_restore %rbx
  leaq 8(%rsp), %rsp
  popq %rbp
  .cfi_adjust_cfa_offset -16
  .cfi_restore %rbp
  popq %rsi
  popq %rdi
  popq %r8
  popq %r9
  popq %r10
  popq %r11
  popq %r12
  popq %r13
  popq %r14
  popq %r15
  popfq
  .cfi_adjust_cfa_offset -88
  ret
  .cfi_endproc
  .size heddle_inline_atomic, . - heddle_inline_atomic
)");

namespace heddle::instrument {
namespace {

__attribute__((constructor)) void look_for_xsave() {
  unsigned a = 0, b = 0, c = 0, d = 0;
  heddle_has_xsave = __get_cpuid(1, &a, &b, &c, &d) != 0 && (c & bit_OSXSAVE) != 0 ? 1 : 0;
}

constexpr unsigned kRegisters = 18;  // with flags and return address; behind them was the top of the stack

}  // namespace
}  // namespace heddle::instrument

extern "C" void heddle_inline_atomic_seen(const std::uint64_t* saved) {
  const auto* const code = reinterpret_cast<const std::uint8_t*>(saved[17]);
  // The stack pointer as it was before the call: behind registers, flags and return address.
  const auto stack = reinterpret_cast<std::uint64_t>(saved + kRegisters);
  InlineAtomic access = read_atomic(code, saved, stack);
  // Just below the stack pointer lies what stands in for an instruction with a prefix (heddle-gcc-calls.s).
  if (access.size == 0 || access.address == reinterpret_cast<const char*>(stack) - 1) return;
  static_cast<void>(*static_cast<volatile unsigned char*>(access.address));  // a wrong address is to fault here
  access.caller = code;
  if (const Points* to = heddle_module.points; HEDDLE_LIKELY(to != nullptr)) to->atomic(access);
}
