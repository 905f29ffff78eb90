// Atomic instructions of inline assembly: what is foreseen is what the processor does, and nothing else changes.
#include <gtest/gtest.h>

#include <cstring>
#include <optional>

#include "instrument/module.h"

namespace heddle::instrument {
namespace {

std::optional<AtomicAccess> seen;

// Of a runtime, which may use any register that a called function may use.
void on_atomic(AtomicAccess& access) {
  access.perform(access);
  seen = access;
  asm volatile("pxor %%xmm0, %%xmm0\n\tpxor %%xmm7, %%xmm7\n\tmovq $-1, %%r11" ::: "xmm0", "xmm7", "r11");
}

class InlineAssembly : public testing::Test {
 protected:
  InlineAssembly() {
    points_.atomic = on_atomic;
    heddle_module.points = &points_;
    seen.reset();
  }
  ~InlineAssembly() override { heddle_module.points = nullptr; }

  template <typename T>
  void expect(const T& memory, T before, AtomicKind kind = AtomicKind::Update, bool wrote = true) {
    ASSERT_TRUE(seen);
    EXPECT_EQ(seen->address, &memory);
    EXPECT_EQ(seen->size, sizeof(T));
    EXPECT_EQ(seen->kind, kind);
    EXPECT_EQ(seen->wrote, wrote);
    EXPECT_EQ(std::memcmp(seen->before, &before, sizeof(T)), 0);
    EXPECT_EQ(std::memcmp(wrote ? seen->after : seen->before, &memory, sizeof(T)), 0) << "another value than foreseen";
    seen.reset();
  }

  Points points_{};
};

#define CALL "call heddle_inline_atomic\n\t"

// In each size, from a register and from a number.
#define CHECK_OPERATION(name)                                                                       \
  TEST_F(InlineAssembly, name##_is_foreseen) {                                                      \
    std::uint64_t m8 = 0x1234'5678'9abc'def0, r8 = 0xfedc'ba98'7654'3210;                           \
    std::uint32_t m4 = 0x8000'0001, r4 = 0x8000'0003;                                               \
    std::uint16_t m2 = 0x8001, r2 = 0x7fff;                                                         \
    std::uint8_t m1 = 0x81, r1 = 0x7f;                                                              \
    asm volatile("stc\n\t" CALL "lock; " #name "q %1, %0" : "+m"(m8) : "r"(r8) : "cc", "memory");   \
    expect<std::uint64_t>(m8, 0x1234'5678'9abc'def0);                                               \
    asm volatile("clc\n\t" CALL "lock; " #name "l %1, %0" : "+m"(m4) : "r"(r4) : "cc", "memory");   \
    expect<std::uint32_t>(m4, 0x8000'0001);                                                         \
    asm volatile("stc\n\t" CALL "lock; " #name "w %1, %0" : "+m"(m2) : "r"(r2) : "cc", "memory");   \
    expect<std::uint16_t>(m2, 0x8001);                                                              \
    asm volatile("clc\n\t" CALL "lock; " #name "b %1, %0" : "+m"(m1) : "q"(r1) : "cc", "memory");   \
    expect<std::uint8_t>(m1, 0x81);                                                                 \
    std::uint32_t before = m4;                                                                      \
    asm volatile("stc\n\t" CALL "lock; " #name "l $-5, %0" : "+m"(m4) : : "cc", "memory");          \
    expect<std::uint32_t>(m4, before);                                                              \
    before = m4;                                                                                    \
    asm volatile("clc\n\t" CALL "lock; " #name "l $0x12345678, %0" : "+m"(m4) : : "cc", "memory");  \
    expect<std::uint32_t>(m4, before);                                                              \
    const std::uint64_t wide = m8;                                                                  \
    asm volatile("stc\n\t" CALL "lock; " #name "q $-0x12345678, %0" : "+m"(m8) : : "cc", "memory"); \
    expect<std::uint64_t>(m8, wide);                                                                \
    const std::uint16_t half = m2;                                                                  \
    asm volatile("clc\n\t" CALL "lock; " #name "w $0x1234, %0" : "+m"(m2) : : "cc", "memory");      \
    expect<std::uint16_t>(m2, half);                                                                \
    const std::uint8_t byte = m1;                                                                   \
    asm volatile("stc\n\t" CALL "lock; " #name "b $0x77, %0" : "+m"(m1) : : "cc", "memory");        \
    expect<std::uint8_t>(m1, byte);                                                                 \
  }
CHECK_OPERATION(add)
CHECK_OPERATION(or)
CHECK_OPERATION(adc)
CHECK_OPERATION(sbb)
CHECK_OPERATION(and)
CHECK_OPERATION(sub)
CHECK_OPERATION(xor)

TEST_F(InlineAssembly, OperationsOfOneOperandAreForeseen) {
  std::uint32_t memory = 0x8000'0000, before = memory;
  asm volatile(CALL "lock; incl %0" : "+m"(memory) : : "cc", "memory");
  expect(memory, before);
  before = memory;
  asm volatile(CALL "lock; decl %0" : "+m"(memory) : : "cc", "memory");
  expect(memory, before);
  before = memory;
  asm volatile(CALL "lock; negl %0" : "+m"(memory) : : "cc", "memory");
  expect(memory, before);
  before = memory;
  asm volatile(CALL "lock; notl %0" : "+m"(memory) : : "cc", "memory");
  expect(memory, before);
}

TEST_F(InlineAssembly, ExchangesAreForeseen) {
  std::uint64_t memory = 5, other = 7;
  asm volatile(CALL "xchgq %0, %1" : "+r"(other), "+m"(memory) : : "memory");
  expect<std::uint64_t>(memory, 5);
  EXPECT_EQ(other, 5u);
  asm volatile(CALL "lock; xaddq %0, %1" : "+r"(other), "+m"(memory) : : "cc", "memory");
  expect<std::uint64_t>(memory, 7);
  EXPECT_EQ(other, 7u);
  asm volatile(CALL "lock; xchgq %0, %1" : "+r"(other), "+m"(memory) : : "memory");
  expect<std::uint64_t>(memory, 12);
  std::uint8_t byte = 3;
  std::uint32_t holder = 0x4200;  // its second byte is a register without a number of its own
  asm volatile(CALL "xchgb %%ch, %1" : "+c"(holder), "+m"(byte) : : "memory");
  expect<std::uint8_t>(byte, 3);
  EXPECT_EQ(byte, 0x42);
  EXPECT_EQ(holder, 0x300u);
}

TEST_F(InlineAssembly, CompareExchangesAreForeseen) {
  std::uint32_t memory = 5, expected = 4;
  asm volatile(CALL "lock; cmpxchgl %2, %1" : "+a"(expected), "+m"(memory) : "r"(9) : "cc", "memory");
  expect<std::uint32_t>(memory, 5, AtomicKind::CompareExchange, false);
  EXPECT_EQ(expected, 5u);
  asm volatile(CALL "lock; cmpxchgl %2, %1" : "+a"(expected), "+m"(memory) : "r"(9) : "cc", "memory");
  expect<std::uint32_t>(memory, 5, AtomicKind::CompareExchange, true);
  EXPECT_EQ(memory, 9u);
  struct alignas(16) Pair {
    std::uint64_t low, high;
  } pair{1, 2};
  std::uint64_t low = 1, high = 2;
  asm volatile(CALL "lock; cmpxchg16b %2" : "+a"(low), "+d"(high), "+m"(pair) : "b"(3ul), "c"(4ul) : "cc", "memory");
  expect<Pair>(pair, Pair{1, 2}, AtomicKind::CompareExchange, true);
  EXPECT_EQ(pair.high, 4u);
  std::uint64_t eight = 0x2'0000'0001;
  std::uint32_t a = 1, d = 2;
  asm volatile(CALL "lock; cmpxchg8b %2" : "+a"(a), "+d"(d), "+m"(eight) : "b"(3), "c"(4) : "cc", "memory");
  expect<std::uint64_t>(eight, 0x2'0000'0001, AtomicKind::CompareExchange, true);
}

TEST_F(InlineAssembly, BitsAreForeseen) {
  std::uint32_t words[3] = {1, 2, 4};
  asm volatile(CALL "lock; btsl $5, %0" : "+m"(words[0]) : : "cc", "memory");
  expect<std::uint32_t>(words[0], 1);
  asm volatile(CALL "lock; btrl $0, %0" : "+m"(words[0]) : : "cc", "memory");
  expect<std::uint32_t>(words[0], 33);
  asm volatile(CALL "lock; btcl $31, %0" : "+m"(words[0]) : : "cc", "memory");
  expect<std::uint32_t>(words[0], 32);
  asm volatile(CALL "lock; btsl %1, %0" : "+m"(words[1]) : "r"(35) : "cc", "memory");
  expect<std::uint32_t>(words[2], 4);  // 32 bits further
  asm volatile(CALL "lock; btrl %1, %0" : "+m"(words[1]) : "r"(-32) : "cc", "memory");
  expect<std::uint32_t>(words[0], 0x8000'0020);
}

TEST_F(InlineAssembly, EveryWayToNameMemoryIsUnderstood) {
  static std::uint32_t fixed[4];
  static thread_local std::uint32_t own;
  std::uint32_t values[8] = {};
  const std::uint64_t index = 3;
  asm volatile(CALL "lock; incl (%0, %1, 4)" : : "r"(values), "r"(index) : "cc", "memory");
  expect<std::uint32_t>(values[3], 0);
  asm volatile(CALL "lock; addl $7, 8(%0, %1, 4)" : : "r"(values), "r"(index) : "cc", "memory");
  expect<std::uint32_t>(values[5], 0);
  asm volatile("movq %0, %%r13\n\t" CALL "lock; incl (%%r13)" : : "r"(values) : "cc", "memory", "r13");
  expect<std::uint32_t>(values[0], 0);
  asm volatile("movq %0, %%r12\n\t" CALL "lock; incl 28(%%r12)" : : "r"(values) : "cc", "memory", "r12");
  expect<std::uint32_t>(values[7], 0);
  asm volatile(CALL "lock; incl %0" : "+m"(fixed[1]) : : "cc", "memory");  // relative to the next instruction
  expect<std::uint32_t>(fixed[1], 0);
  asm volatile(CALL "lock; addl $0x10000, %0" : "+m"(fixed[2]) : : "cc", "memory");  // which is four bytes further
  expect<std::uint32_t>(fixed[2], 0);
  asm volatile(CALL "lock; incl %0" : "+m"(own) : : "cc", "memory");
  expect<std::uint32_t>(own, 0);
  std::uint64_t* top = nullptr;
  asm volatile("pushq $0\n\tmovq %%rsp, %0\n\t" CALL "lock; incq (%%rsp)\n\tpopq %%rax"
               : "=&r"(top)
               :
               : "rax", "cc", "memory");
  ASSERT_TRUE(seen);
  EXPECT_EQ(seen->address, top);
}

TEST_F(InlineAssembly, RegistersAreNoMemory) {
  std::uint32_t one = 1, other = 2;
  asm volatile(CALL "xchgl %0, %1" : "+r"(one), "+r"(other));
  EXPECT_FALSE(seen);
  EXPECT_EQ(one, 2u);
}

TEST_F(InlineAssembly, AllRegistersAndFlagsStay) {
  std::uint64_t memory = 0, registers[10] = {}, flags = 0;
  std::uint64_t* where = registers;
  double low = 0, high = 0;
  asm volatile(
      "movq $1, %%rax\n\tmovq $2, %%rcx\n\tmovq $3, %%rdx\n\tmovq $4, %%rsi\n\tmovq $5, %%rdi\n\tmovq $6, %%r8\n\t"
      "movq $7, %%r9\n\tmovq $8, %%r10\n\tmovq $9, %%r11\n\tmovq %%rax, %%xmm0\n\tmovq %%r11, %%xmm7\n\tstc\n\t" CALL
      "xchgq %%rax, %0\n\t"
      "pushfq\n\tpopq %%r12\n\tmovq %%r12, %4\n\tmovq %%rax, 0(%1)\n\tmovq %%rcx, 8(%1)\n\tmovq %%rdx, 16(%1)\n\t"
      "movq %%rsi, 24(%1)\n\tmovq %%rdi, 32(%1)\n\tmovq %%r8, 40(%1)\n\tmovq %%r9, 48(%1)\n\tmovq %%r10, 56(%1)\n\t"
      "movq %%r11, 64(%1)\n\tmovq %%xmm0, %2\n\tmovq %%xmm7, %3"
      : "+m"(memory), "+b"(where), "=m"(low), "=m"(high), "=m"(flags)
      :
      : "rax", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11", "r12", "xmm0", "xmm7", "cc", "memory");
  EXPECT_EQ(memory, 1u);
  EXPECT_EQ(registers[0], 0u);
  for (std::uint64_t i = 1; i < 9; ++i) EXPECT_EQ(registers[i], i + 1);
  EXPECT_EQ(flags & 1, 1u);
  std::uint64_t bits = 0;
  std::memcpy(&bits, &low, sizeof bits);
  EXPECT_EQ(bits, 1u);
  std::memcpy(&bits, &high, sizeof bits);
  EXPECT_EQ(bits, 9u);
}

TEST_F(InlineAssembly, NativelyNothingIsLookedAt) {
  heddle_module.points = nullptr;
  std::uint32_t memory = 1;
  bool carry = false;
  asm volatile("stc\n\t" CALL "lock; adcl $1, %0\n\tsetc %1" : "+m"(memory), "=q"(carry) : : "cc", "memory");
  EXPECT_EQ(memory, 3u);
  EXPECT_FALSE(seen);
}

}  // namespace
}  // namespace heddle::instrument
