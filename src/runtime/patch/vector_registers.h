// Assembly that saves the vector registers on the stack, by the instruction that this processor and system support
// (prepare_trampoline() finds it). For places where C code runs in the midst of the program's code. It changes rax,
// rcx, rdx and flags, and jumps to local labels 1 to 5. Whatever is pushed in between must be popped again.
#pragma once

#define HEDDLE_SAVE_VECTORS                                        \
  "  mov heddle_vector_bytes(%rip), %ecx\n"                        \
  "  sub %rcx, %rsp\n"                                             \
  "  and $-64, %rsp\n"                                             \
  "  mov heddle_vector_method(%rip), %ecx\n"                       \
  "  test %ecx, %ecx\n"                                            \
  "  jz 1f\n" /* The header of the area is to be found as zero. */ \
  "  xor %eax, %eax\n"                                             \
  "  mov %rax, 512(%rsp)\n"                                        \
  "  mov %rax, 520(%rsp)\n"                                        \
  "  mov %rax, 528(%rsp)\n"                                        \
  "  mov %rax, 536(%rsp)\n"                                        \
  "  mov %rax, 544(%rsp)\n"                                        \
  "  mov %rax, 552(%rsp)\n"                                        \
  "  mov %rax, 560(%rsp)\n"                                        \
  "  mov %rax, 568(%rsp)\n"                                        \
  "  mov heddle_vector_parts(%rip), %eax\n"                        \
  "  xor %edx, %edx\n"                                             \
  "  cmp $1, %ecx\n"                                               \
  "  je 2f\n"                                                      \
  "  xsavec64 (%rsp)\n"                                            \
  "  jmp 3f\n"                                                     \
  "1: fxsave64 (%rsp)\n"                                           \
  "  jmp 3f\n"                                                     \
  "2: xsave64 (%rsp)\n"                                            \
  "3:\n"

#define HEDDLE_RESTORE_VECTORS               \
  "  mov heddle_vector_method(%rip), %ecx\n" \
  "  test %ecx, %ecx\n"                      \
  "  jz 4f\n"                                \
  "  mov heddle_vector_parts(%rip), %eax\n"  \
  "  xor %edx, %edx\n"                       \
  "  xrstor64 (%rsp)\n"                      \
  "  jmp 5f\n"                               \
  "4: fxrstor64 (%rsp)\n"                    \
  "5:\n"
