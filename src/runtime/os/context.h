// A place in the program's execution to go back to, once the memory is as it was there; and calls on another stack,
// which leave nothing on this one.
#pragma once

#include <cstdint>

namespace heddle::runtime {

struct Context {
  std::uint64_t callee_saved[6];
  std::uint64_t stack_pointer;
  std::uint64_t program_counter;
  std::uint32_t mxcsr;
  std::uint32_t control_word;  // of the x87
  std::uint64_t thread_pointer;
  std::uint64_t behind_call;  // of call_unseen(): where its caller goes on
};

}  // namespace heddle::runtime

extern "C" {
// Notes where its caller stands: 0. Once more with 1 for each heddle_resume(). Does not note the thread pointer.
__attribute__((returns_twice)) long heddle_mark(heddle::runtime::Context* context);
// Goes on behind heddle_mark(). The thread pointer must have been set.
[[noreturn]] void heddle_resume(const heddle::runtime::Context* context);
// Leaves the present stack for good.
[[noreturn]] void heddle_call_on_stack(void* top, void (*function)());
// The rest of call_unseen().
void heddle_call_unseen();
extern void* heddle_stack_beside;               // its top; null: there is none
extern heddle::runtime::Context heddle_beside;  // the place of the last call_unseen()
// In checkpoints.cpp.
__attribute__((visibility("hidden"))) void heddle_behind_resume();
}

namespace heddle::runtime {

constexpr std::uintptr_t kStackBesideBytes = std::uintptr_t{256} << 10;

// Is there no such stack, or are we on it already? Then what is called leaves nothing on a task's.
[[gnu::always_inline]] inline bool is_unseen() {
  std::uintptr_t here;
  __asm__("mov %%rsp, %0" : "=r"(here));
  const auto top = reinterpret_cast<std::uintptr_t>(heddle_stack_beside);
  return top == 0 || top - here < kStackBesideBytes;
}

// Calls `function` on the stack at heddle_stack_beside; not if is_unseen() already. Whether that happens at some step
// may be a matter of time, but what lies on the stack of a task is part of its state (loops.h), also where no frame
// uses it: so not even a return address is pushed there. heddle_resume(&heddle_beside), or with a copy of it, goes on
// behind this call, too, when heddle_behind_resume() has been called in the same way.
[[gnu::always_inline]] inline void call_unseen(void (*function)()) {
  __asm__ volatile(
      "lea 1f(%%rip), %%rax\n"
      "jmp heddle_call_unseen\n"
      "1:"
      : "+S"(function)
      :
      : "rax", "rcx", "rdx", "rdi", "r8", "r9", "r10", "r11", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6",
        "xmm7", "xmm8", "xmm9", "xmm10", "xmm11", "xmm12", "xmm13", "xmm14", "xmm15", "cc", "memory");
}

}  // namespace heddle::runtime
