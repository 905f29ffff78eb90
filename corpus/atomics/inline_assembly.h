// A lock of one word, made of inline assembly, as old C libraries have them. What it protects is plain.
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static int word, inside;

static int exchange(int* at, int value) {
  __asm__ volatile("lock; xchgl %0, %1" : "+r"(value), "+m"(*at) : : "memory");
  return value;
}

static void add(int* to, int value) { __asm__ volatile("lock; addl %1, %0" : "+m"(*to) : "r"(value) : "memory", "cc"); }

static int try_to_lock(void);

static void* enter(void* argument) {
  if (try_to_lock()) {
    assert(inside == 0);
    inside = 1;
    add(&inside, 0);
    inside = 0;
    exchange(&word, 0);
  }
  return argument;
}

int main(void) {
  pthread_t one, other;
  pthread_create(&one, NULL, enter, NULL);
  pthread_create(&other, NULL, enter, NULL);
  pthread_join(one, NULL);
  pthread_join(other, NULL);
  return 0;
}
