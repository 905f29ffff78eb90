// See context.h.
#include "runtime/os/context.h"

#include <cstddef>

#include "runtime/os/permanent.h"

using heddle::runtime::Context;
static_assert(offsetof(Context, stack_pointer) == 48 && offsetof(Context, program_counter) == 56);
static_assert(offsetof(Context, mxcsr) == 64 && offsetof(Context, control_word) == 68);
static_assert(offsetof(Context, behind_call) == 80);

#define HEDDLE_USED __attribute__((visibility("hidden"), used)) HEDDLE_PERMANENT
HEDDLE_USED void* heddle_stack_beside = nullptr;
HEDDLE_USED Context heddle_beside = {};

__asm__(
    ".text\n"
    ".globl heddle_mark\n.hidden heddle_mark\n.type heddle_mark,@function\n"
    "heddle_mark:\n"
    "  mov %rbx, (%rdi)\n  mov %rbp, 8(%rdi)\n  mov %r12, 16(%rdi)\n"
    "  mov %r13, 24(%rdi)\n  mov %r14, 32(%rdi)\n  mov %r15, 40(%rdi)\n"
    "  lea 8(%rsp), %rdx\n  mov %rdx, 48(%rdi)\n  mov (%rsp), %rdx\n  mov %rdx, 56(%rdi)\n"
    "  stmxcsr 64(%rdi)\n  fnstcw 68(%rdi)\n"
    "  xor %eax, %eax\n  ret\n"
    ".size heddle_mark, .-heddle_mark\n"
    ".globl heddle_resume\n.hidden heddle_resume\n.type heddle_resume,@function\n"
    "heddle_resume:\n"
    "  mov (%rdi), %rbx\n  mov 8(%rdi), %rbp\n  mov 16(%rdi), %r12\n"
    "  mov 24(%rdi), %r13\n  mov 32(%rdi), %r14\n  mov 40(%rdi), %r15\n"
    // What another execution left in the registers of x87 and MMX is gone: at a call they are empty.
    "  emms\n  ldmxcsr 64(%rdi)\n  fldcw 68(%rdi)\n  cld\n"
    "  mov 48(%rdi), %rsp\n  mov $1, %eax\n  jmp *56(%rdi)\n"
    ".size heddle_resume, .-heddle_resume\n"
    ".globl heddle_call_on_stack\n.hidden heddle_call_on_stack\n.type heddle_call_on_stack,@function\n"
    "heddle_call_on_stack:\n"
    "  mov %rdi, %rsp\n  xor %ebp, %ebp\n  call *%rsi\n  ud2\n"
    ".size heddle_call_on_stack, .-heddle_call_on_stack\n"
    // In: the function in rsi, where to go on in rax. Notes the place, as one that begins behind this with
    // heddle_behind_resume. heddle_resume() leaves the context's address in rdi.
    ".globl heddle_call_unseen\n.hidden heddle_call_unseen\n.type heddle_call_unseen,@function\n"
    "heddle_resumed_unseen:\n"
    "  mov 80(%rdi), %rax\n  lea heddle_behind_resume(%rip), %rsi\n"
    "heddle_call_unseen:\n"
    "  lea heddle_beside(%rip), %rdi\n"
    "  mov %rbx, (%rdi)\n  mov %rbp, 8(%rdi)\n  mov %r12, 16(%rdi)\n"
    "  mov %r13, 24(%rdi)\n  mov %r14, 32(%rdi)\n  mov %r15, 40(%rdi)\n  mov %rsp, 48(%rdi)\n"
    "  lea heddle_resumed_unseen(%rip), %rdx\n  mov %rdx, 56(%rdi)\n"
    "  stmxcsr 64(%rdi)\n  fnstcw 68(%rdi)\n  mov %rax, 80(%rdi)\n"
    "  mov %rsp, %rdx\n  mov heddle_stack_beside(%rip), %rsp\n"
    "  push %rdx\n  push %rax\n  call *%rsi\n  pop %rax\n  pop %rsp\n"
    "  jmp *%rax\n"
    ".size heddle_call_unseen, .-heddle_call_unseen\n");
