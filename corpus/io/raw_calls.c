// System calls in assembly: futexes, sleeping, yielding and clocks are those of the model, and every register but
// those that the instruction changes is as it was, whoever ran in between.
//
// heddle: run
// expect: clean bound 2
#define _GNU_SOURCE
#include "io/raw_calls.h"

#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <time.h>
#include <unistd.h>

static volatile uint32_t word;
static double product;

static void* set_and_wake(void* argument) {
  const struct timespec duration = {0, 50000000};
  struct timespec before, after;
  assert(raw_call(SYS_clock_gettime, CLOCK_MONOTONIC, (long)&before, 0, 0, 0, 0) == 0);
  assert(raw_call(SYS_nanosleep, (long)&duration, 0, 0, 0, 0, 0) == 0);
  assert(raw_call(SYS_clock_gettime, CLOCK_MONOTONIC, (long)&after, 0, 0, 0, 0) == 0);
  assert((after.tv_sec - before.tv_sec) * 1000000000 + after.tv_nsec - before.tv_nsec >= 50000000);
  register double value __asm__("xmm9") = 1.5 + (argument == &word ? 1 : 0);
  __asm__ volatile("" : "+x"(value));
  word = 1;
  raw_wake(&word, 1);
  __asm__ volatile("" : "+x"(value));
  product = value * 2;
  return NULL;
}

// A value in the red zone, and one in each general register that a call keeps.
static long keeps_all(void) {
  long ok;
  __asm__ volatile(
      "movq $77, -8(%%rsp)\n movq $78, -128(%%rsp)\n"
      "mov $11, %%rbx\n mov $12, %%r12\n mov $13, %%r13\n mov $14, %%r14\n mov $15, %%r15\n mov $16, %%r9\n"
      "mov %1, %%eax\n std\n syscall\n"
      "setnc %%cl\n pushfq\n pop %%r11\n cld\n"
      "mov $0, %%eax\n"
      "test $0x400, %%r11\n jz 1f\n"
      "cmp $11, %%rbx\n jne 1f\n cmp $12, %%r12\n jne 1f\n cmp $13, %%r13\n jne 1f\n"
      "cmp $14, %%r14\n jne 1f\n cmp $15, %%r15\n jne 1f\n cmp $16, %%r9\n jne 1f\n"
      "cmpq $78, -128(%%rsp)\n jne 1f\n"
      "mov $1, %%eax\n 1:"
      : "=&a"(ok)
      : "i"(SYS_sched_yield)
      : "rbx", "rcx", "r9", "r11", "r12", "r13", "r14", "r15", "memory", "cc");
  return ok;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, set_and_wake, (void*)&word);
  register double held __asm__("xmm7") = 3.25;
  __asm__ volatile("" : "+x"(held));
  while (word == 0) raw_wait(&word, 0);
  __asm__ volatile("" : "+x"(held));
  assert(held == 3.25);
  assert(keeps_all());
  assert(raw_wait(&word, 0) == -EAGAIN);
  assert(raw_call(SYS_gettid, 0, 0, 0, 0, 0, 0) == gettid());
  assert(raw_call(SYS_clock_gettime, CLOCK_MONOTONIC, 8, 0, 0, 0, 0) == -EFAULT);
  pthread_join(thread, NULL);
  assert(product == 5);
}
