// See signal_action.h.
#include "runtime/os/signal_action.h"

#include "runtime/os/system_call.h"

__asm__(
    ".text\n"
    ".globl heddle_restorer\n.hidden heddle_restorer\n.type heddle_restorer,@function\n"
    "heddle_restorer:\n"
    "  mov $15, %eax\n  syscall\n"
    ".size heddle_restorer, .-heddle_restorer\n");
extern "C" __attribute__((visibility("hidden"))) void heddle_restorer();

namespace heddle::os {
namespace {

constexpr std::uint64_t kRestorer = 0x04000000;  // SA_RESTORER, which glibc does not tell

}  // namespace

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
