// Two words that are changed by inline assembly. Whoever sees the count must see the owner.
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static int count, owner;

static void own(int value) { __asm__ volatile("xchgl %0, %1" : "+r"(value), "+m"(owner) : : "memory"); }

static int add(int* to, int value) {
  __asm__ volatile("lock; xaddl %0, %1" : "+r"(value), "+m"(*to) : : "memory", "cc");
  return value;
}

static void* enter(void* argument);

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, enter, NULL);
  const int counted = add(&count, 0), owned = add(&owner, 0);
  assert(counted == 0 || owned == 1);
  pthread_join(thread, NULL);
  return 0;
}
