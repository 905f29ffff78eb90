// Which function a call went to.
#include "runtime/detect/called_function.h"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <memory>

namespace heddle::runtime {
namespace {

// What the call that led here says that it called.
[[gnu::noinline]] std::uintptr_t called() { return called_function(__builtin_return_address(0)); }

const auto kCalled = reinterpret_cast<std::uintptr_t>(&called);

TEST(CalledFunction, DirectlyInTheSameFile) {
  const std::uintptr_t found = called();
  EXPECT_EQ(found, kCalled);
}

TEST(CalledFunction, ByAPointerInARegisterIsNotKnown) {
  std::uintptr_t (*volatile pointer)() = called;
  std::uintptr_t found = 1;
  const auto target = pointer;
  __asm__ volatile("call *%1"
                   : "=a"(found)
                   : "r"(target)
                   : "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11", "memory");
  EXPECT_EQ(found, 0u);
}

TEST(CalledFunction, ByASlot) {
  static std::uintptr_t (*slot)() = called;
  std::uintptr_t found = 1;
  __asm__ volatile("call *%1"
                   : "=a"(found)
                   : "m"(slot)
                   : "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11", "memory");
  EXPECT_EQ(found, kCalled);
}

// Its stub jumps to where the other file's function is.
TEST(CalledFunction, OfAnotherFileThroughItsStub) {
  const void* behind = nullptr;
  __asm__ volatile("lea 0f(%%rip), %0\n\tmov %0, %%rbx\n\tcall getppid@plt\n0:\tmov %%rbx, %0"
                   : "=a"(behind)
                   :
                   : "rbx", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11", "memory");
  EXPECT_EQ(called_function(behind), reinterpret_cast<std::uintptr_t>(dlsym(RTLD_DEFAULT, "getppid")));
}

TEST(CalledFunction, OutsideOfFilesNothingIsKnown) {
  std::unique_ptr<unsigned char[]> heap(new unsigned char[64]());
  heap[11] = 0xe8;
  EXPECT_EQ(called_function(heap.get() + 16), 0u);
}

}  // namespace
}  // namespace heddle::runtime
