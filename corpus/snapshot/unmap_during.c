// Memory that was mapped before the threads is unmapped during the test, in two parts: every execution finds it as it
// was, and who reads there afterwards faults.
// heddle: run
// expect: clean complete
#define _GNU_SOURCE
#include <assert.h>
#include <setjmp.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>

#include "snapshot/two_threads.h"

enum { PAGE = 4096, SIZE = 16 * PAGE };
static char* memory;
static sigjmp_buf behind;

static void leave(int signal) {
  (void)signal;
  siglongjmp(behind, 1);
}

static int can_read(const volatile char* address) {
  if (sigsetjmp(behind, 1) != 0) return 0;
  return *address >= 0;
}

static int can_write(volatile char* address) {
  if (sigsetjmp(behind, 1) != 0) return 0;
  *address = 'w';
  return 1;
}

static void* halve(void* unused) {
  assert(memory[0] == 'm' && memory[SIZE / 2] == 'm' && memory[SIZE - 1] == 'm');
  assert(munmap(memory + SIZE / 2, SIZE / 2 - 10) == 0);  // all of the last page
  point();
  memory[0] = 'x';
  assert(can_write(memory + 1) && !can_read(memory + SIZE / 2) && !can_write(memory + SIZE - 1));
  assert(munmap(memory, SIZE / 2) == 0);
  assert(!can_read(memory) && !can_write(memory));
  return unused;
}

static void* work(void* unused) {
  point();
  return unused;
}

int main(void) {
  memory = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  assert(memory != MAP_FAILED);
  memset(memory, 'm', SIZE);
  signal(SIGSEGV, leave);
  run_two(halve, work);
  return 0;
}
