// Atomic instructions of each shape, in a thread of a program that is not instrumented: all registers, flags, the stack
// and the red zone must be as the instruction leaves them by itself. Ends with 1 where something differs.
#include <atomic>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>

namespace {

alignas(16) std::uint64_t shared[4] = {1, 2, 3, 4};
int wrong = 0;

void check(bool right, const char* what) {
  if (right) return;
  std::fprintf(stderr, "wrong: %s\n", what);
  wrong = 1;
}

// 12 general registers and 4 of the vectors: with values of their own before the instruction, and as it left them.
struct Registers {
  std::uint64_t words[20];
};

void keeps_registers() {
  static Registers before, after;
  for (unsigned i = 0; i < 20; ++i) before.words[i] = 0x1111'1111'1111'1111 * (i % 14 + 1) + i;
  before.words[0] = reinterpret_cast<std::uint64_t>(&shared[0]);
  asm volatile(
      "leaq %c0(%%rip), %%rax\n\t"
      "movdqu 96(%%rax), %%xmm0\n\tmovdqu 112(%%rax), %%xmm7\n\t"
      "movdqu 128(%%rax), %%xmm8\n\tmovdqu 144(%%rax), %%xmm15\n\t"
      "movq (%%rax), %%rcx\n\tmovq 8(%%rax), %%rdx\n\tmovq 16(%%rax), %%rsi\n\tmovq 24(%%rax), %%rdi\n\t"
      "movq 32(%%rax), %%r8\n\tmovq 40(%%rax), %%r9\n\tmovq 48(%%rax), %%r10\n\tmovq 56(%%rax), %%r11\n\t"
      "movq 64(%%rax), %%r12\n\tmovq 72(%%rax), %%r13\n\tmovq 80(%%rax), %%r14\n\tmovq 88(%%rax), %%r15\n\t"
      "lock; incq 8(%%rcx)\n\t"
      "leaq %c1(%%rip), %%rax\n\t"
      "movdqu %%xmm0, 96(%%rax)\n\tmovdqu %%xmm7, 112(%%rax)\n\t"
      "movdqu %%xmm8, 128(%%rax)\n\tmovdqu %%xmm15, 144(%%rax)\n\t"
      "movq %%rcx, (%%rax)\n\tmovq %%rdx, 8(%%rax)\n\tmovq %%rsi, 16(%%rax)\n\tmovq %%rdi, 24(%%rax)\n\t"
      "movq %%r8, 32(%%rax)\n\tmovq %%r9, 40(%%rax)\n\tmovq %%r10, 48(%%rax)\n\tmovq %%r11, 56(%%rax)\n\t"
      "movq %%r12, 64(%%rax)\n\tmovq %%r13, 72(%%rax)\n\tmovq %%r14, 80(%%rax)\n\tmovq %%r15, 88(%%rax)\n\t"
      :
      : "i"(&before), "i"(&after)
      : "rax", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15", "xmm0", "xmm7", "xmm8",
        "xmm15", "cc", "memory");
  check(std::memcmp(before.words, after.words, 96) == 0, "a general register");
  check(std::memcmp(before.words + 12, after.words + 12, 64) == 0, "a vector register");
}

// The carry and sign flags before xchg, which leaves them alone; those that an update sets.
void keeps_flags() {
  std::uint8_t carry = 0, zero = 0;
  std::uint64_t value = 7;
  asm volatile("stc\n\txchgq %1, %2\n\tsetc %0" : "=q"(carry), "+r"(value), "+m"(shared[2]) : : "memory");
  check(carry == 1, "the carry flag behind xchg");
  value = shared[2];
  asm volatile("negq %1\n\tlock; xaddq %1, %2\n\tsetz %0"
               : "=q"(zero), "+r"(value), "+m"(shared[2])
               :
               : "cc", "memory");
  check(zero == 1, "the zero flag behind lock xadd");
}

// Below the stack pointer, where a function that calls nothing may keep what it likes.
__attribute__((noinline, naked)) std::uint64_t keeps_red_zone(std::uint64_t*) {
  asm("movq $0x1234, -8(%rsp)\n\tmovq $0x5678, -128(%rsp)\n\t"
      "lock; incq (%rdi)\n\t"
      "movq -8(%rsp), %rax\n\taddq -128(%rsp), %rax\n\tret");
}

void addresses_the_stack() {
  std::uint64_t result = 0;
  asm volatile(
      "subq $256, %%rsp\n\tmovq $5, 8(%%rsp)\n\tmovq $3, %%rax\n\tlock; xaddq %%rax, 8(%%rsp)\n\t"
      "addq 8(%%rsp), %%rax\n\tmovq %%rax, %0\n\taddq $256, %%rsp"
      : "=r"(result)
      :
      : "rax", "cc", "memory");
  check(result == 13, "an operand on the stack");
}

void exchanges_two_words() {
  std::uint64_t low = shared[0], high = shared[1];
  bool done = false;
  asm volatile("lock; cmpxchg16b %1"
               : "=@ccz"(done), "+m"(*reinterpret_cast<unsigned __int128*>(shared)), "+a"(low), "+d"(high)
               : "b"(std::uint64_t{100}), "c"(std::uint64_t{200}));
  check(done && shared[0] == 100 && shared[1] == 200, "cmpxchg16b");
}

// Short instructions, with a branch behind them, from which the function may go on elsewhere.
__attribute__((noinline)) bool try_lock(std::atomic<char>& lock) { return lock.exchange(1) == 0; }
__attribute__((noinline)) int release(std::atomic<int>& owners) {
  if (owners.fetch_sub(1) == 1) return 100;
  return owners.load();
}

std::atomic<int> handled{0};
void handle(int) { handled.fetch_add(1); }

void work() {
  keeps_registers();
  keeps_flags();
  std::uint64_t word = 0;
  check(keeps_red_zone(&word) == 0x1234 + 0x5678 && word == 1, "the red zone");
  addresses_the_stack();
  exchanges_two_words();
  std::atomic<char> lock{0};
  check(try_lock(lock) && !try_lock(lock), "a short exchange");
  std::atomic<int> owners{2};
  check(release(owners) == 1 && release(owners) == 100, "an update with a branch behind it");
  std::raise(SIGUSR1);
  check(handled == 1, "an update in a handler of a signal");
}

}  // namespace

int main() {
  std::signal(SIGUSR1, handle);
  std::thread thread(work);
  shared[3] = 5;
  std::atomic_ref(shared[3]).fetch_add(1);
  thread.join();
  std::printf("word %d\n", static_cast<int>(shared[3]));
  return wrong;
}
