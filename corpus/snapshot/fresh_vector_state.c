// A thread ends with numbers in the MMX registers, which are those of x87, and has not emptied them: who calculates
// with x87 after it, in this execution or the next, must find them empty.
// heddle: run --max-preemptions=2
// expect: clean bound 2
#include <assert.h>

#include "snapshot/two_threads.h"

static unsigned char pixels[8];
static volatile double number = 2.25;

static void* brighten(void* unused) {
  point();
  __asm__ volatile("movq %0, %%mm0\n\tpaddb %%mm0, %%mm0\n\tmovq %%mm0, %0" : "+m"(pixels));
  return unused;
}

static void* calculate(void* unused) {
  point();
  const long double twice = (long double)number * 2;
  assert(twice == 4.5L);
  return unused;
}

int main(void) {
  run_two(brighten, calculate);
  const long double half = (long double)number / 2;
  assert(half == 1.125L);
  return 0;
}
