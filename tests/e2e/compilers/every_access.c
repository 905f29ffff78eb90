// As every_access.cpp, in C: what C has of its own, and what its front ends may do otherwise.
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>

typedef int Unaligned __attribute__((aligned(1)));
typedef struct {
  unsigned first : 3, second : 5;
} Bits;
typedef struct {
  char bytes[200];
} Large;

volatile int sink;
char byte_, unaligned[16], unaligned_apart[16];
short short_;
long long_;
_Complex double complex_;
Bits bits;
Large source, copied, set, assigned, assigned_apart;
int vector_[256];
volatile int volatile_;
_Atomic long counted;
long counted_plainly;
int fenced_data, unfenced_data;
atomic_int fenced_flag, unfenced_flag;

static __attribute__((noinline)) void add_up(int* to, int count) {
  for (int i = 0; i < count; ++i) to[i] += 3;  // race_vector
}

static void* first(void* unused) {
  byte_ = 1;                               // race_byte
  short_ = 1;                              // race_short
  long_ = 1;                               // race_long
  complex_ = 1;                            // race_complex
  *(Unaligned*)(unaligned + 1) = 1;        // race_unaligned
  *(Unaligned*)(unaligned_apart + 1) = 1;  // fine_unaligned
  bits.first = 1;                          // race_bits
  memcpy(&copied, &source, 150);           // race_memcpy
  memset(&set, 1, 150);                    // race_memset
  assigned = source;                       // race_assigned
  *(long*)&assigned_apart = 1;             // fine_assigned
  add_up(vector_, 256);
  volatile_ = 1;                       // race_volatile
  ++counted;                           // fine_counted
  ++*(_Atomic long*)&counted_plainly;  // race_counted
  unfenced_data = 1;                   // race_fence
  atomic_store_explicit(&unfenced_flag, 1, memory_order_relaxed);
  fenced_data = 1;  // fine_fence
  atomic_thread_fence(memory_order_release);
  atomic_store_explicit(&fenced_flag, 1, memory_order_relaxed);
  return unused;
}

static void* second(void* unused) {
  byte_ = 2;                                                                             // race_byte
  short_ = 2;                                                                            // race_short
  long_ = 2;                                                                             // race_long
  complex_ = 2;                                                                          // race_complex
  sink = *(Unaligned*)(unaligned + 4);                                                   // race_unaligned
  sink = *(Unaligned*)(unaligned_apart + 5);                                             // fine_unaligned
  bits.second = 1;                                                                       // race_bits
  sink = copied.bytes[149];                                                              // race_memcpy
  sink = set.bytes[149];                                                                 // race_memset
  sink = assigned.bytes[199];                                                            // race_assigned
  sink = assigned_apart.bytes[8];                                                        // fine_assigned
  sink = vector_[255];                                                                   // race_vector
  volatile_ = 2;                                                                         // race_volatile
  ++counted;                                                                             // fine_counted
  ++counted_plainly;                                                                     // race_counted
  if (atomic_load_explicit(&unfenced_flag, memory_order_relaxed)) sink = unfenced_data;  // race_fence
  if (atomic_load_explicit(&fenced_flag, memory_order_relaxed)) {
    atomic_thread_fence(memory_order_acquire);
    sink = fenced_data;  // fine_fence
  }
  return unused;
}

int main(void) {
  pthread_t one, other;
  pthread_create(&one, NULL, first, NULL);
  pthread_create(&other, NULL, second, NULL);
  pthread_join(one, NULL);
  pthread_join(other, NULL);
  return 0;
}
