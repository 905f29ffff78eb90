// Code in memory that is written to while the program runs, as just-in-time compilers make it.
// heddle: run --max-preemptions=2
// expect: clean bound 2
#define _GNU_SOURCE
#include <assert.h>
#include <string.h>
#include <sys/mman.h>

#include "snapshot/two_threads.h"

static unsigned char* code;
static int sum;

static void* call_and_change(void* unused) {
  pthread_mutex_lock(&point_mutex);
  int (*function)(void);
  memcpy(&function, &code, sizeof function);
  sum += function();
  ++code[1];
  sum += function();
  pthread_mutex_unlock(&point_mutex);
  return unused;
}

int main(void) {
  static const unsigned char kReturnOne[] = {0xb8, 1, 0, 0, 0, 0xc3};  // mov $1, %eax; ret
  code = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  assert(code != MAP_FAILED);
  memcpy(code, kReturnOne, sizeof kReturnOne);
  run_two(call_and_change, call_and_change);
  assert(sum == 1 + 2 + 2 + 3);
  return 0;
}
