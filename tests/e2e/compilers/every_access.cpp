// Every way in which a compiler lets two threads access memory, with and without what orders them. Each access has a
// line of its own, and the line a name: those called race_… race, those called fine_… don't. compilers_test.py
// compares.
#include <atomic>
#include <coroutine>
#include <cstdint>
#include <cstring>
#include <thread>

#define NOINLINE __attribute__((noinline))

// All of them external: what is only written must not be left out.
volatile int sink;
std::uint8_t byte_, byte_apart[2];
std::uint16_t short_;
int int_;
std::uint64_t long_;
unsigned __int128 wide;
char unaligned[16], unaligned_apart[16];
struct Bits {
  unsigned first : 3, second : 5;
} bits;
struct BitsApart {
  unsigned first : 3;
  unsigned : 0;
  unsigned second : 5;
} bits_apart;
struct Large {
  char bytes[200];
} copied, copied_apart, moved, set, assigned;
int vector_[256], vector_apart[257];
long by_reference, by_reference_only;
alignas(16) unsigned __int128 by_wide_atomics, by_wide_atomics_only;
volatile int volatile_;
int relaxed_data, fenced_data;
std::atomic<int> relaxed_flag, fenced_flag;
Large source;

typedef int Unaligned __attribute__((aligned(1)));

NOINLINE void add_up(int* to, int count) {
  for (int i = 0; i < count; ++i) to[i] += 3;  // race_vector
}
NOINLINE void add_up_apart(int* to, int count) {
  for (int i = 0; i < count; ++i) to[i] += 4;  // fine_vector
}

// A variable in a coroutine's frame, reached from outside by its address.
struct Task {
  struct promise_type {
    int* inside = nullptr;
    Task get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
    std::suspend_always initial_suspend() { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    std::suspend_always yield_value(int* address) {
      inside = address;
      return {};
    }
    void return_void() {}
    void unhandled_exception() {}
  };
  std::coroutine_handle<promise_type> handle;
};
Task counting() {
  int count = 0;
  co_yield &count;
  ++count;  // race_coroutine
  co_await std::suspend_always();
  sink = count;
}
Task coroutine;

void first() {
  byte_ = 1;                                               // race_byte
  byte_apart[0] = 1;                                       // fine_byte
  short_ = 1;                                              // race_short
  int_ = 1;                                                // race_int
  long_ = 1;                                               // race_long
  wide = 1;                                                // race_wide
  *reinterpret_cast<Unaligned*>(unaligned + 1) = 1;        // race_unaligned
  *reinterpret_cast<Unaligned*>(unaligned_apart + 1) = 1;  // fine_unaligned
  bits.first = 1;                                          // race_bits
  bits_apart.first = 1;                                    // fine_bits
  std::memcpy(&copied, &source, 150);                      // race_memcpy
  std::memcpy(&copied_apart, &source, 150);                // fine_memcpy
  std::memmove(&moved, &source, 150);                      // race_memmove
  std::memset(&set, 1, 150);                               // race_memset
  assigned = source;                                       // race_assigned
  add_up(vector_, 256);
  add_up_apart(vector_apart, 256);
  by_reference = 1;                                              // race_atomic_ref
  std::atomic_ref<long>(by_reference_only).store(1);             // fine_atomic_ref
  by_wide_atomics = 1;                                           // race_wide_atomics
  __atomic_store_n(&by_wide_atomics_only, 1, __ATOMIC_SEQ_CST);  // fine_wide_atomics
  volatile_ = 1;                                                 // race_volatile
  relaxed_data = 1;                                              // race_relaxed
  relaxed_flag.store(1, std::memory_order_relaxed);
  fenced_data = 1;  // fine_fence
  std::atomic_thread_fence(std::memory_order_release);
  fenced_flag.store(1, std::memory_order_relaxed);
  coroutine.handle.resume();
}

void second() {
  byte_ = 2;                                                                   // race_byte
  byte_apart[1] = 2;                                                           // fine_byte
  short_ = 2;                                                                  // race_short
  int_ = 2;                                                                    // race_int
  long_ = 2;                                                                   // race_long
  wide = 2;                                                                    // race_wide
  sink = *reinterpret_cast<Unaligned*>(unaligned + 4);                         // race_unaligned
  sink = *reinterpret_cast<Unaligned*>(unaligned_apart + 5);                   // fine_unaligned
  bits.second = 1;                                                             // race_bits
  bits_apart.second = 1;                                                       // fine_bits
  sink = copied.bytes[149];                                                    // race_memcpy
  sink = copied_apart.bytes[150];                                              // fine_memcpy
  sink = moved.bytes[149];                                                     // race_memmove
  sink = set.bytes[149];                                                       // race_memset
  sink = assigned.bytes[199];                                                  // race_assigned
  sink = vector_[255];                                                         // race_vector
  sink = vector_apart[256];                                                    // fine_vector
  std::atomic_ref<long>(by_reference).fetch_add(1);                            // race_atomic_ref
  std::atomic_ref<long>(by_reference_only).fetch_add(1);                       // fine_atomic_ref
  __atomic_store_n(&by_wide_atomics, 2, __ATOMIC_SEQ_CST);                     // race_wide_atomics
  __atomic_store_n(&by_wide_atomics_only, 2, __ATOMIC_SEQ_CST);                // fine_wide_atomics
  volatile_ = 2;                                                               // race_volatile
  if (relaxed_flag.load(std::memory_order_relaxed) == 1) sink = relaxed_data;  // race_relaxed
  if (fenced_flag.load(std::memory_order_relaxed) == 1) {
    std::atomic_thread_fence(std::memory_order_acquire);
    sink = fenced_data;  // fine_fence
  }
  ++*coroutine.handle.promise().inside;  // race_coroutine
}

int main() {
  coroutine = counting();
  coroutine.handle.resume();
  std::thread one(first), other(second);
  one.join();
  other.join();
  coroutine.handle.destroy();
}
