// A place in the program's execution that can be gone back to, once the memory is as it was there.
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
};

}  // namespace heddle::runtime

extern "C" {
// Notes where its caller stands: 0. Once more with 1 for each heddle_resume(). Does not note the thread pointer.
__attribute__((returns_twice)) long heddle_mark(heddle::runtime::Context* context);
// Goes on behind heddle_mark(). The thread pointer must have been set.
[[noreturn]] void heddle_resume(const heddle::runtime::Context* context);
// Leaves the present stack for good.
[[noreturn]] void heddle_call_on_stack(void* top, void (*function)());
}
