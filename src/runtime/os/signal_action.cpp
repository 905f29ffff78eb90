// See signal_action.h.
#include "runtime/os/signal_action.h"

#include "runtime/os/system_call.h"

// With unwinding information, as glibc's has it: debuggers and the driver's watchdog see the program behind a handler.
// The stack pointer is at the ucontext_t; each line says where in it a register is (expression: rsp + offset). Callers
// look up the address before, hence the nop.
__asm__(
    ".text\n"
    ".globl heddle_restorer\n.hidden heddle_restorer\n.type heddle_restorer,@function\n"
    "  .cfi_startproc\n  .cfi_signal_frame\n"
    "  .cfi_escape 0x0f,0x04,0x77,0xa0,0x01,0x06\n"
    "  .cfi_escape 0x10,0x08,0x02,0x77,0x28\n"
    "  .cfi_escape 0x10,0x09,0x02,0x77,0x30\n"
    "  .cfi_escape 0x10,0x0a,0x02,0x77,0x38\n"
    "  .cfi_escape 0x10,0x0b,0x03,0x77,0xc0,0x00\n"
    "  .cfi_escape 0x10,0x0c,0x03,0x77,0xc8,0x00\n"
    "  .cfi_escape 0x10,0x0d,0x03,0x77,0xd0,0x00\n"
    "  .cfi_escape 0x10,0x0e,0x03,0x77,0xd8,0x00\n"
    "  .cfi_escape 0x10,0x0f,0x03,0x77,0xe0,0x00\n"
    "  .cfi_escape 0x10,0x05,0x03,0x77,0xe8,0x00\n"
    "  .cfi_escape 0x10,0x04,0x03,0x77,0xf0,0x00\n"
    "  .cfi_escape 0x10,0x06,0x03,0x77,0xf8,0x00\n"
    "  .cfi_escape 0x10,0x03,0x03,0x77,0x80,0x01\n"
    "  .cfi_escape 0x10,0x01,0x03,0x77,0x88,0x01\n"
    "  .cfi_escape 0x10,0x00,0x03,0x77,0x90,0x01\n"
    "  .cfi_escape 0x10,0x02,0x03,0x77,0x98,0x01\n"
    "  .cfi_escape 0x10,0x07,0x03,0x77,0xa0,0x01\n"
    "  .cfi_escape 0x10,0x10,0x03,0x77,0xa8,0x01\n"
    "  nop\n"
    "heddle_restorer:\n"
    "  mov $15, %eax\n  syscall\n"
    "  .cfi_endproc\n"
    ".size heddle_restorer, .-heddle_restorer\n");
extern "C" __attribute__((visibility("hidden"))) void heddle_restorer();

namespace heddle::os {
long set_signal_action(int signal, const SignalAction* action, SignalAction* old) {
  return system_call(SYS_rt_sigaction, signal, reinterpret_cast<long>(action), reinterpret_cast<long>(old),
                     sizeof action->mask);
}

SignalAction own_action(SignalHandler handler) {
  SignalAction action;
  action.handler = reinterpret_cast<void*>(handler);
  action.flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER | kRestorer;
  action.restorer = reinterpret_cast<void*>(&heddle_restorer);
  return action;
}

void set_default_action(int signal) {
  const SignalAction action;
  set_signal_action(signal, &action, nullptr);
}

void set_alternate_stack(void* memory, std::size_t bytes) {
  stack_t stack{};
  stack.ss_sp = memory;
  stack.ss_size = bytes;
  system_call(SYS_sigaltstack, reinterpret_cast<long>(&stack), 0);
}

void return_from_signal(std::uint64_t frame) {
  __asm__ volatile("mov %0, %%rsp\n\tmov $15, %%eax\n\tsyscall" : : "r"(frame) : "memory");
  __builtin_unreachable();
}

}  // namespace heddle::os
