// See aside.h.
#include "runtime/detect/aside.h"

#include "runtime/state/runtime.h"

__asm__(
    ".text\n"
    ".globl heddle_call_aside\n.hidden heddle_call_aside\n.type heddle_call_aside,@function\n"
    "heddle_call_aside:\n"
    "  .cfi_startproc\n"
    "  push %rbp\n  .cfi_adjust_cfa_offset 8\n  .cfi_rel_offset %rbp, 0\n"
    "  mov %rsp, %rbp\n  .cfi_def_cfa_register %rbp\n"
    "  mov heddle_detector_stack(%rip), %rsp\n"
    "  mov %rdi, %rax\n  mov %rsi, %rdi\n  mov %rdx, %rsi\n  mov %rcx, %rdx\n  mov %r8, %rcx\n"
    "  call *%rax\n"
    "  mov %rbp, %rsp\n"
    "  pop %rbp\n  .cfi_def_cfa %rsp, 8\n"
    "  ret\n"
    "  .cfi_endproc\n"
    ".size heddle_call_aside, .-heddle_call_aside\n");

__attribute__((used)) HEDDLE_PERMANENT void* heddle_detector_stack = nullptr;
